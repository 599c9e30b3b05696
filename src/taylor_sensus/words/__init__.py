"""What people read: numbers and names as text and HTML, verdicts, summaries, progress."""
