"""The world: vocabulary, topology, physics, faults, actions, automation and the environment."""
