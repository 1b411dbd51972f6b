import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

/** Code that starts threads, speaks with them or counts cores. */
const MECHANISMS = /\bnew Worker\(|\bparentPort\b|\bMessageChannel\b|\.postMessage\(|\bavailableParallelism\b/

/** Files outside of core/kernel/threads that may, each with its reason. */
const OTHERS: Readonly<Record<string, string>> = {
  'config/environment.ts': 'the number of cores that a process may use is a setting',
  'config/temporal-yaml.ts': '`cores` is a value of the file, for the tasks that a worker takes',
  'cli/compile/train/train-input.ts': 'a command has all cores of its machine',
  'activities/learn/bench/measure-inference.ts': 'a measurement states the cores of its machine',
  'core/model/generation/generator.ts': 'the same, where no number of cores is given',
}

describe('the protocol of threads', () => {
  it('is the only one in the service', () => {
    const folders = ['core', 'db', 'temporal', 'workflows', 'activities', 'api', 'workers', 'cli', 'config', 'stack']
    const found = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter((file) => file.endsWith('.ts') && !file.startsWith('core/kernel/threads/'))
      .filter((file) => MECHANISMS.test(readFileSync(file, 'utf8')))
    expect(found.toSorted()).to.deep.equal(Object.keys(OTHERS).toSorted())
  })
})
