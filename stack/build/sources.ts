import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from 'esbuild'

/** The folders whose modules are built. */
const FOLDERS = ['activities', 'api', 'config', 'core', 'db', 'stack', 'temporal', 'workers', 'workflows']

/** The processes that are built, beside all threads. */
const PROCESSES = ['api/main.ts', 'workers/main.ts']

/** Modules with which processes and threads begin, as paths in the project. */
export interface Entries {
  readonly processes: readonly string[]
  readonly threads: readonly string[]
}

/** Lists the entries: the processes, and each module that serves the tasks of a thread. */
export function listEntries(projectDir: string): Entries {
  const named = globSync(`{${FOLDERS.join(',')}}/**/*-thread.ts`, { cwd: projectDir })
  const threads = named.filter((file) => readFileSync(join(projectDir, file), 'utf8').includes('\nserveTasks'))
  return { processes: PROCESSES, threads: threads.toSorted() }
}

/** A digest of all that a build depends on: the sources, the packages, the settings of TypeScript and Node's version. */
export function digestSources(projectDir: string): string {
  const hash = createHash('sha256').update(`${process.version} ${version}\n`)
  const sources = globSync(`{${FOLDERS.join(',')}}/**/*.{ts,json}`, { cwd: projectDir }).toSorted()
  for (const file of ['package-lock.json', 'tsconfig.json', ...sources]) {
    const text = readFileSync(join(projectDir, file))
    hash.update(`${file} ${text.length}\n`).update(text)
  }
  return hash.digest('hex').slice(0, 16)
}
