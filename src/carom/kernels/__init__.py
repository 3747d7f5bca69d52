"""HOW Python becomes machine code: compile options, the cache, interrupts, vectors; nothing of physics."""
