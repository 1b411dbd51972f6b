/**
 * Writes the next migration from the difference between the migrations and the tables: `npm run migration -- NAME`, where
 * NAME is two or more words in lower case joined by hyphens. Adds `db/migrations/<number>-NAME.ts` and its lines in
 * `db/migrations/index.ts`. Data that has to move is then written by hand. Exits with 1 when nothing differs.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../../db/kernel/database.ts'
import { MIGRATIONS } from '../../../db/migrations/index.ts'
import { migrate } from '../../../db/migrations/migrate.ts'
import { startStack } from '../../../stack/stack.ts'
import { schemaDifference } from './schema-difference.ts'

const folder = fileURLToPath(new URL('../../../db/migrations/', import.meta.url))
const [name = ''] = process.argv.slice(2)
if (!/^[a-z]+(?:-[a-z0-9]+)+$/.test(name)) {
  throw new Error('npm run migration -- NAME: two or more words in lower case, joined by hyphens')
}

const statements = await findDifference()
if (statements.length === 0) {
  console.log('the migrations make what the tables say: there is nothing to write')
  process.exitCode = 1
} else {
  const file = `${String(Number.parseInt(MIGRATIONS.at(-1)?.name ?? '0', 10) + 1).padStart(3, '0')}-${name}`
  await writeFile(join(folder, `${file}.ts`), migrationText(className(name), statements))
  const index = join(folder, 'index.ts')
  await writeFile(index, withMigration(await readFile(index, 'utf8'), file, className(name)))
  console.log(`wrote db/migrations/${file}.ts (statements: ${statements.length}) and its lines in index.ts`)
}

/** Returns the statements that turn a database with all migrations into one with all tables, one each. */
async function findDifference(): Promise<readonly string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-migration-'))
  // Root's Postgres runs as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
  try {
    const db = await openDatabase({ url: stack.databaseUrl, poolSize: 2, masterKey: stack.masterKey })
    try {
      await migrate(db)
      const text = await schemaDifference(db.url)
      return text
        .split(/;\n/)
        .map((statement) => statement.trim().replace(/;$/, ''))
        .filter((statement) => statement !== '')
    } finally {
      await db.close()
    }
  } finally {
    await stack.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function className(hyphenated: string): string {
  return hyphenated.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase())
}

function migrationText(name: string, sql: readonly string[]): string {
  const lines = sql.map((statement) => `    this.addSql(${literal(statement)})`)
  return `import { Migration } from '@mikro-orm/migrations'

/** ${sql.length === 1 ? 'One change' : `${sql.length} changes`} of the schema. */
export class ${name} extends Migration {
  override up(): void {
${lines.join('\n')}
  }
}
`
}

/** A statement as a template literal. */
function literal(text: string): string {
  return `\`${text.replaceAll(/[\\`]|\$\{/g, (char) => `\\${char}`)}\``
}

function withMigration(index: string, file: string, name: string): string {
  const lastImport = index.lastIndexOf('import {')
  const afterImport = index.indexOf('\n', lastImport) + 1
  const end = index.lastIndexOf(']')
  return [
    index.slice(0, afterImport),
    `import { ${name} } from './${file}.ts'\n`,
    index.slice(afterImport, end),
    `  { name: '${file}', class: ${name} },\n`,
    index.slice(end),
  ].join('')
}
