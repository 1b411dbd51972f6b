import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { StackError } from '../stack-error.ts'

const execute = promisify(execFile)

/** The system user that Postgres runs as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * The account for Postgres when this process is root (which Postgres refuses to run as), else undefined: `postgres`,
 * made when it is absent, or `nobody` where none can be made. Throws `StackError` `no_postgres` when there is neither.
 */
export async function findPostgresAccount(log: (line: string) => void, mayCreate = true): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const known = await lookUp('postgres')
  if (known !== undefined || !mayCreate) return known ?? (await lookUp('nobody'))
  try {
    await execute('groupadd', ['--system', 'postgres']).catch(() => undefined)
    await execute('useradd', ['--system', '--no-create-home', '--gid', 'postgres', 'postgres'])
    log('Postgres does not run as root: made the system user "postgres" for it')
  } catch {
    log('Postgres does not run as root and no user could be made for it: using "nobody"')
  }
  const account = (await lookUp('postgres')) ?? (await lookUp('nobody'))
  if (account !== undefined) return account
  throw new StackError(
    'no_postgres',
    'Postgres does not run as root, and there is neither a user "postgres" nor a way to make one.\nRun as another user, or set DATABASE_URL.',
  )
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([execute('id', ['-u', name]), execute('id', ['-g', name])])
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}
