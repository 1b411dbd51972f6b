import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

const MOST_ENTRIES = 15
const MOST_LINES = 300

/** Folders with a reason for more entries: roots (`core` has a folder for each area), migrations, recorded histories, and the Python worker's one package. */
const LARGE_FOLDERS = ['.', 'core', 'db/migrations', 'test', 'test/histories', 'workers/trainer/svc_trainer']

/** Longer files that are still to be split. A file that was split leaves this list. */
const LONG_FILES = [
  'test/compile/api/compile.test.ts',
  'test/compile/core/archive/mutations.test.ts',
  'test/support/archives/forge.ts',
]

describe('the files of the project', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '')

  it(`lie in folders of at most ${MOST_ENTRIES} entries`, () => {
    const entries = new Map<string, Set<string>>()
    for (const file of files) {
      const parts = file.split('/')
      for (const [i, part] of parts.entries()) {
        const folder = parts.slice(0, i).join('/') || '.'
        entries.set(folder, (entries.get(folder) ?? new Set()).add(part))
      }
    }
    const crowded = [...entries].filter(([, { size }]) => size > MOST_ENTRIES).map(([folder]) => folder)
    expect(crowded.toSorted()).to.deep.equal(LARGE_FOLDERS.toSorted())
  })

  it(`have at most ${MOST_LINES} lines`, () => {
    const long = files
      .filter((file) => /\.(ts|js)$/.test(file) && !file.startsWith('db/migrations/'))
      .filter((file) => readFileSync(file, 'utf8').split('\n').length - 1 > MOST_LINES)
    expect(long.toSorted()).to.deep.equal(LONG_FILES.toSorted())
  })
})
