"""Who is here, who has ended, who is gone: only what is proved (docs/who-is-here.md)."""
