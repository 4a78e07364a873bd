"""A Latchkey holder: opens a door by broadcasting. Written from docs/ alone; see README.md."""
