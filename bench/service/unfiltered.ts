/**
 * Runs the walks with the keys of a second tenant and of a second namespace against a copy of the code whose queries name
 * no tenant: `node bench/service/unfiltered.ts [test files …]`. What the walks find then, the policies of the database alone do not
 * keep. The copy lies in a temporary folder, which is removed. Exits with the status of the tests.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WALKS = [
  'test/house/boundary/foreign-tenant.test.ts',
  'test/accounts/db/tenancy.test.ts',
  'test/holes/accounts/bound-keys.test.ts',
]
const LEFT_OUT = new Set(['node_modules', '.git', '.svc'])
/** Code that sees all tenants names the tenant itself, and so do migrations. */
const KEPT = /^db\/(migrations|[a-z]+\/across)\//

const root = mkdtempSync(join(tmpdir(), 'svc-unfiltered-'))
try {
  for (const name of readdirSync('.').filter((entry) => !LEFT_OUT.has(entry))) {
    cpSync(name, join(root, name), { recursive: true })
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  const files = globSync('db/**/*.ts').filter((path) => !KEPT.test(path))
  const removed = files.reduce((sum, path) => sum + strip(join(root, path)), 0)
  process.stdout.write(`${removed} conditions on tenant_id removed from ${files.length} files\n`)
  const walks = process.argv.slice(2)
  const mocha = join('node_modules', '.bin', 'mocha')
  const run = spawnSync(process.execPath, [mocha, ...(walks.length > 0 ? walks : WALKS), '--exit'], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = run.status ?? 1
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** Removes the conditions on the tenant from a file. Returns their number. */
function strip(path: string): number {
  let removed = 0
  const drop = (by: string) => (): string => {
    removed++
    return by
  }
  const original = readFileSync(path, 'utf8')
  // A fact of a table may hold the statement of its merge, which sees two tenants.
  const hasFacts = original.includes('defineTable({')
  const keepParameter = (whole: string, place: string): string =>
    hasFacts ? whole : drop(`$${place}::text is not null`)()
  const text = original
    .replaceAll(/\.where\('(?:\w+\.)?tenant_id', '=', [\w.]+\)/g, drop(''))
    .replaceAll(/\b(?:\w+\.)?tenant_id = \$\{[\w.]+\}/g, drop('true'))
    .replaceAll(/(?:\b(?:\w+\.)?tenant_id|\$\{tenantColumnOf\(table\)\}) = \$(\d)/g, keepParameter)
  // The filter of the ORM, which names the tenant in its queries.
  const whole = path.endsWith('tenant-filter.ts')
    ? text.replace('return { tenantId: set.tenantId }', drop('return {}'))
    : text
  if (removed > 0) writeFileSync(path, whole)
  return removed
}
