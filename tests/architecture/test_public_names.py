"""The doors are few and watched: what a package offers is what it lists."""

import importlib
import pkgutil

import pytest

import agenttwin

PACKAGES = sorted(module.name for module in pkgutil.iter_modules(agenttwin.__path__) if module.ispkg)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_offers_what_it_lists(name):
    package = importlib.import_module(f"agenttwin.{name}")
    assert package.__all__
    assert [public for public in package.__all__ if not hasattr(package, public)] == []
