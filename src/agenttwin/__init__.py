"""AgentTwin: run an agent against stateful stand-ins of its tools and grade it by what provably happened."""
