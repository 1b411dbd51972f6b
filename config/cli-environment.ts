import { homedir } from 'node:os'
import { join } from 'node:path'

/** Environment variables of the CLI. */
export interface CliEnvironment {
  /** `SVC_URL`: the server, in place of the profile's. */
  readonly url: string | undefined
  /** `SVC_API_KEY`: the key, in place of the profile's. */
  readonly apiKey: string | undefined
  /** `SVC_ADMIN_KEY`: the administrator's key. */
  readonly adminKey: string | undefined
  /** Folder of the profile: `$XDG_CONFIG_HOME/svc`, `~/.config/svc` when that is not set. */
  readonly profileDir: string
  /** `SVC_BASES_DIR`: folder of base models, before those of the project. */
  readonly basesDir: string | undefined
  /** `SVC_LIMITS`: limits of the service that compiled, for commands that read rows as it does. */
  readonly limits: string | undefined
  /** `PATH`: folders in which executables are searched. */
  readonly searchPath: string
}

/** Reads the environment variables of the CLI. An empty variable counts as absent. */
export function readCliEnvironment(env: NodeJS.ProcessEnv): CliEnvironment {
  const given = (name: string) => (env[name] === undefined || env[name] === '' ? undefined : env[name])
  return {
    url: given('SVC_URL'),
    apiKey: given('SVC_API_KEY'),
    adminKey: given('SVC_ADMIN_KEY'),
    basesDir: given('SVC_BASES_DIR'),
    limits: given('SVC_LIMITS'),
    searchPath: given('PATH') ?? '',
    profileDir: join(given('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'svc'),
  }
}
