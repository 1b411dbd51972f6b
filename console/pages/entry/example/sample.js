/** Made-up rows, as cells copied from a spreadsheet: seven with an answer and five without. */
export const SAMPLE = [
  ['Name', 'Joined', 'Badge'],
  ['Ada Lovelace', '2026-03-14', 'A. Lovelace, since 2026'],
  ['Grace Hopper', '2025-12-09', 'G. Hopper, since 2025'],
  ['Alan Turing', '2024-06-23', 'A. Turing, since 2024'],
  ['Katherine Johnson', '2026-08-26', 'K. Johnson, since 2026'],
  ['Edsger Dijkstra', '2025-05-11', 'E. Dijkstra, since 2025'],
  ['Barbara Liskov', '2024-11-07', 'B. Liskov, since 2024'],
  ['Donald Knuth', '2023-01-10', 'D. Knuth, since 2023'],
  ['Margaret Hamilton', '2025-08-17', ''],
  ['Frances Allen', '2024-02-04', ''],
  ['Dennis Ritchie', '2026-09-09', ''],
  ['Radia Perlman', '2023-10-18', ''],
  ['John McCarthy', '2024-04-30', ''],
]
  .map((cells) => cells.join('\t'))
  .join('\n')
