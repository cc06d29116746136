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


def test_the_front_door_is_small_and_watched() -> None:
    import agenttwin

    classes = ["AgentTwinError", "Case", "Comparison", "DocumentError", "NoCase", "ToolError", "Twin"]
    assert agenttwin.__all__ == [*classes, "compare", "intercept", "tool"]
    assert all(getattr(agenttwin, name) is not None for name in agenttwin.__all__)


def test_compare_is_a_verb_and_a_package() -> None:
    import agenttwin
    import agenttwin.compare as package

    assert callable(agenttwin.compare)
    assert package.Comparison is agenttwin.Comparison
