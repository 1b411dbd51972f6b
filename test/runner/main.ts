/**
 * Runs the tests: `npm test -- [--area AREA]... [--quick] [file or folder ...] [options of mocha]`. `--area` runs
 * `test/AREA` and `test/holes/AREA`; `--quick` runs the files of less than 20 seconds that start no process,
 * no worker and no browser.
 */
import { globSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from '../support/stack/caches.ts'
import { selectFiles } from './select.ts'

/** Seconds that the whole suite may take on two cores. */
const MOST_SECONDS = 600

// Before the first module of the service: with --no-parallel this process runs the tests, and loads all of them.
enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? compileCacheFolder())
const root = fileURLToPath(new URL('../../', import.meta.url))
const areas: string[] = []
const paths: string[] = []
const passedOn: string[] = []
let isQuick = false
const given = process.argv.slice(2)
for (let arg = given.shift(); arg !== undefined; arg = given.shift()) {
  if (arg === '--area') areas.push(given.shift() ?? '')
  else if (arg === '--quick') isQuick = true
  else if (/^(\.\/)?test\//.test(arg)) paths.push(arg.replace(/^\.\//, ''))
  // Mocha would take it, and run every other file with it.
  else if (arg.endsWith('.test.ts'))
    throw new Error(`${arg}: name test files by their path from the project, as test/…`)
  else passedOn.push(arg)
}
const files = selectFiles(root, globSync('test/**/*.test.ts', { cwd: root }).toSorted(), { areas, isQuick, paths })
if (files.length === 0) throw new Error('no test file is selected')
const { BUILD_VARIABLE } = await import('../../core/kernel/threads/built-file.ts')
const { findBuild } = await import('../../stack/build/build-modules.ts')
// One file alone ends sooner than a build: it takes the one that is there, when the sources are as they were.
const log = (line: string) => process.stderr.write(`[build] ${line}\n`)
const build = await findBuild(root, { canBuild: files.length > 1, log })
if (build === null) delete process.env[BUILD_VARIABLE]
else process.env[BUILD_VARIABLE] = build
const isWhole = areas.length === 0 && paths.length === 0 && !isQuick
const { fetchTemporal } = await import('../support/stack/fetch-temporal.ts')
// Once for each machine, and minutes where Go builds it: its time is not that of the tests.
const fetchS = await fetchTemporal()
process.on('exit', () => {
  const seconds = performance.now() / 1000 - fetchS
  const apart = fetchS < 1 ? '' : `, beside ${fetchS.toFixed(0)} s in which the Temporal CLI was fetched`
  process.stderr.write(`The run took ${seconds.toFixed(0)} s${apart}.\n`)
  if (!isWhole || seconds <= MOST_SECONDS) return
  process.stderr.write(`The whole suite takes more than ${MOST_SECONDS} s: make its longest files shorter.\n`)
})
process.chdir(root)
process.argv = [process.execPath, 'mocha', ...passedOn, ...files]
await import(import.meta.resolve('mocha/bin/mocha.js'))
