"""Where branches meet: by the paths they declare, and by the lines they have changed."""
