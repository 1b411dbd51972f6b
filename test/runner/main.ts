/**
 * Runs the tests: `npm test -- [--area AREA]... [--quick] [file or folder ...] [options of mocha]`. `--area` runs
 * `test/AREA` and `test/holes/AREA`; `--quick` runs the files that start no process, no worker and no browser.
 */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { selectFiles } from './select.ts'

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
  else passedOn.push(arg)
}
const files = selectFiles(root, globSync('test/**/*.test.ts', { cwd: root }).toSorted(), { areas, isQuick, paths })
if (files.length === 0) throw new Error('no test file is selected')
process.chdir(root)
process.argv = [process.execPath, 'mocha', ...passedOn, ...files]
await import(import.meta.resolve('mocha/bin/mocha.js'))
