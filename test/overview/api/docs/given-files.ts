import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workbook } from '../../../support/wire/workbook.ts'

const NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
const TICKETS = ['invoice', 'receipt', 'payment', 'card', 'refund', 'price'].flatMap((word) => [
  `Question about my ${word},billing`,
  `The ${word} page does not open,technical`,
])

const initials = (name: string): string => `${name[0]}. ${name.split(' ')[1]}`

/** Files and jobs that a page speaks of and does not make itself: files, then commands. */
export const GIVEN: Readonly<
  Record<string, { readonly files: Readonly<Record<string, string>>; readonly commands: readonly string[] }>
> = {
  'docs/guides/results.md': {
    files: {
      'people.csv': `name,short\n${NAMES.map((name) => `${name},${initials(name)}\n`).join('')}Tony Hoare,T. Hoar\nFrances Allen,F. Allen\n`,
    },
    commands: ['svc compile people.csv --task "Initial and family name" --floor 0.95 || [ $? = 4 ]'],
  },
  'docs/guides/batches.md': {
    files: {
      'names.csv': `name,short\n${NAMES.map((name) => `${name},${initials(name)}\n`).join('')}`,
      'people.csv': `name\n${Array.from({ length: 20 }, (_, i) => `${NAMES[i % NAMES.length]}\n`).join('')}`,
    },
    commands: ['svc compile names.csv --task "Initial and family name"'],
  },
  'docs/guides/exports.md': {
    files: {
      'names.csv': `name,short\n${NAMES.map((name) => `${name},${initials(name)}\n`).join('')}`,
      'tickets.csv': `ticket,team\n${TICKETS.join('\n')}\n`,
    },
    commands: [
      'svc compile tickets.csv --task "Team" --kind classifier --floor 0.1 --out tickets.svc',
      'svc compile names.csv --task "Initial and family name" --out names.svc',
    ],
  },
}

/** Writes the files of a page into its folder, and a workbook, and returns the commands to begin with. */
export async function writeGiven(page: string, folder: string): Promise<readonly string[]> {
  const { files = {}, commands = [] } = GIVEN[page] ?? {}
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const rows = [['Name', 'Initials'], ...NAMES.map((name) => [name, initials(name)])]
  await writeFile(join(folder, 'people.xlsx'), await workbook([{ name: 'People', rows }]))
  return commands
}
