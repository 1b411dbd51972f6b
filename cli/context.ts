import { createApiClient, type ApiClient } from './client/api-client.ts'
import { CliError, usageError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'
import { readProfile, writeProfile, type Profile } from './service/profile.ts'
import type { CliEnvironment } from '../config/cli-environment.ts'
import { resolveLimits, type Limits } from '../core/limits.ts'
import type { Output } from './terminal/output.ts'

/** Reads `SVC_LIMITS`. Throws `CliError`. */
function limitsOf(text: string | undefined): Limits {
  try {
    return resolveLimits(text)
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : 'SVC_LIMITS', error)
  }
}

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** Environment of a command. */
export interface CliContext {
  readonly output: Output
  readonly profileDir: string
  /** The folder of base models that `SVC_BASES_DIR` names. */
  readonly basesDir: string | undefined
  /** Folders in which executables are searched, as in `PATH`. */
  readonly searchPath: string
  /** Returns the limits that `SVC_LIMITS` raises. Throws `CliError` for a text that names none. */
  limits(): Limits
  profile(): Promise<Profile>
  saveProfile(profile: Profile): Promise<void>
  /**
   * Returns the server's address: `--url`, `SVC_URL`, the profile's, the one that runs in this checkout, or the
   * default. Throws `CliError` for an invalid address.
   */
  url(): Promise<string>
  /** Returns a client with the user's key. Throws `CliError` without a key. */
  client(): Promise<ApiClient>
  /** The header that shows the admin key; undefined when the environment holds none, and the user's key has to do. */
  readonly adminHeaders: Readonly<Record<string, string>> | undefined
  /** A client without a key. */
  guest(): Promise<ApiClient>
}

/** The context of one call of the CLI. */
export function openContext(options: {
  readonly output: Output
  readonly environment: CliEnvironment
  readonly url: string | undefined
  /** Finds the service of the working folder. */
  readonly findLocalUrl: () => Promise<string | undefined>
}): CliContext {
  const { output, environment } = options
  const profile = async () => await readProfile(environment.profileDir)
  const url = async () =>
    readUrl('--url', options.url) ??
    readUrl('SVC_URL', environment.url) ??
    (await profile()).url ??
    (await options.findLocalUrl()) ??
    DEFAULT_URL
  return {
    output,
    profileDir: environment.profileDir,
    basesDir: environment.basesDir,
    searchPath: environment.searchPath,
    limits: () => limitsOf(environment.limits),
    adminHeaders: environment.adminKey === undefined ? undefined : { 'x-admin-key': environment.adminKey },
    profile,
    saveProfile: async (changed) => await writeProfile(environment.profileDir, changed),
    url,
    client: async () => {
      const apiKey = environment.apiKey ?? (await profile()).api_key
      if (apiKey === undefined) {
        throw new CliError('no API key: use svc signup or svc login, or set SVC_API_KEY', {
          exitCode: EXIT.denied,
          code: 'missing_credential',
        })
      }
      return createApiClient({ url: await url(), apiKey })
    },
    guest: async () => createApiClient({ url: await url(), apiKey: undefined }),
  }
}

/** A given address without a slash at its end. */
function readUrl(origin: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (protocol === 'http:' || protocol === 'https:') return text.replace(/\/+$/, '')
  throw usageError(`${origin} ${text} is not an address: it must start with http:// or https://`)
}
