import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Files of a small house. Those whose name says so break the order. */
const FILES: Readonly<Record<string, string>> = {
  'core/ledger/chain.ts': 'export interface Chain {}\nexport const chain = 1\n',
  'core/compile/archive.ts': `export interface Archive {}\nexport { chain } from '../ledger/chain.ts'\n`,
  'core/ledger/backward-value.ts': `import { chain } from '../compile/archive.ts'\nexport const value = chain\n`,
  'core/ledger/backward-type.ts': `import type { Archive } from '../compile/archive.ts'\nexport type Own = Archive\n`,
  'core/ledger/backward-export.ts': `export * from '../compile/archive.ts'\n`,
  'core/ledger/backward-call.ts': `export const load = async () => await import('../compile/archive.ts')\n`,
  'db/compile/store.ts': `import { chain } from '../../core/ledger/chain.ts'\nexport const stored = chain\n`,
  'core/compile/backward-layer.ts': `import { stored } from '../../db/compile/store.ts'\nexport const value = stored\n`,
  'core/compile/backward-package.ts': `import pg from 'pg'\nexport const client = pg\n`,
  'core/elsewhere/backward-folder.ts': `import { chain } from '../ledger/chain.ts'\nexport const value = chain\n`,
}

describe('the lint rule house/order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-house-'))
  after(() => rmSync(folder, { recursive: true }))

  it('refuses each import that runs backward, types included, and no other', () => {
    cpSync(join(PROJECT, 'config/lint'), join(folder, 'config/lint'), { recursive: true })
    const config = {
      jsPlugins: ['./config/lint/house.ts'],
      categories: {},
      plugins: [],
      rules: { 'house/order': 'error' },
    }
    writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const args = [join(PROJECT, 'node_modules/oxlint/bin/oxlint'), '--format=json', 'core', 'db']
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const found: readonly { readonly code: string; readonly filename: string }[] = JSON.parse(
      stdout || stderr,
    ).diagnostics
    expect(new Set(found.map(({ code }) => code))).to.deep.equal(new Set(['house(order)']))
    const refused = found.map(({ filename }) => filename)
    expect(refused).to.have.members(Object.keys(FILES).filter((path) => path.includes('backward')))
  })
})
