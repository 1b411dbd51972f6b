import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { bringSchemaUp } from '../../../db/migrations/migrate.ts'

/** Environment variable by which the run's main process names the template database to its workers. */
const TEMPLATE = 'SVC_TEST_TEMPLATE'
/** The advisory lock under which the template is made; any number that the service does not use. */
const TEMPLATE_LOCK = 7_237_900

/** Names the template of this run. It is made by the first test that needs a database. */
export function nameTemplate(): void {
  process.env[TEMPLATE] = `svc_template_${randomBytes(6).toString('hex')}`
}

/**
 * Creates a database with all migrations applied and no rows, as a clone of the run's template. The first call makes the
 * template; calls of other processes wait for it.
 */
export async function cloneTemplate(serverUrl: string, name: string): Promise<void> {
  const template = templateName()
  await onServer(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount === 0) await makeTemplate(client, serverUrl, template)
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
    // Copied as files: a quarter of the time of a copy through the log.
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  })
}

/** Drops the template of this run, on a server that outlives the run. */
export async function dropTemplate(serverUrl: string): Promise<void> {
  const template = templateName()
  await onServer(serverUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template])
    if (rowCount === 0) return
    await client.query(`alter database ${template} is_template false`)
    await client.query(`drop database ${template} with (force)`)
  })
}

/** Runs statements on a connection to the server's own database. */
export async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** The address of another database on the same server. */
export function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Made under another name and renamed when it is whole; closed to connections, which would refuse a clone. */
async function makeTemplate(client: pg.Client, serverUrl: string, template: string): Promise<void> {
  const draft = `${template}_draft`
  await client.query(`drop database if exists ${draft} with (force)`)
  await client.query(`create database ${draft}`)
  const url = databaseAt(serverUrl, draft)
  await onServer(url, async (own) => await bringSchemaUp(own, url))
  await client.query(`alter database ${draft} rename to ${template}`)
  await client.query(`alter database ${template} with is_template true allow_connections false`)
}

function templateName(): string {
  const name = process.env[TEMPLATE]
  if (name === undefined) throw new Error('no template: run the tests with mocha and the .mocharc.json of the project')
  return name
}
