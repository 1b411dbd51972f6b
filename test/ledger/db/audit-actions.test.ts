import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { AUDIT_ACTIONS } from '../../../db/ledger/audit/record-audit.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The sources of a folder, as one text. */
function sourcesOf(folder: string): string {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('audit-actions.test.ts'))
    .map((path) => readFileSync(join(ROOT, folder, path), 'utf8'))
    .join('\n')
}

describe('audit actions', () => {
  it('are each written by a verb and looked for by a test', () => {
    const verbs = ['db', 'activities', 'api'].map(sourcesOf).join('\n')
    const written = verbs.replace(/AUDIT_ACTIONS = \[[^\]]*\]/, '')
    const tests = sourcesOf('test')
    const missing = (text: string) => AUDIT_ACTIONS.filter((action) => !text.includes(`'${action}'`))
    expect({ written: missing(written), tested: missing(tests) }).to.deep.equal({ written: [], tested: [] })
  })
})
