import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { baseFolders } from './base-folders.ts'
import { EnvironmentError } from './environment-error.ts'
import { MAIL_VARIABLES, readMail, type MailEnvironment } from './environment/mail.ts'
import { OAUTH_VARIABLES, readOAuth, type OAuthEnvironment } from './environment/oauth.ts'
import { readStripe, STRIPE_VARIABLES, type StripeEnvironment } from './environment/stripe.ts'
import type { GatewayMode, OperatorUpstreams } from '../core/gateway/calls/providers.ts'
import { readUpstreams } from './environment/gateway.ts'
import { readTelemetry, TELEMETRY_VARIABLES, type TelemetrySettings } from './environment/telemetry.ts'
import { readRentals, RENTAL_VARIABLES } from './environment/rentals.ts'
import type { RentalSettings } from '../core/compile/stages/rentals/settings.ts'
import { readTeacher, TEACHER_VARIABLES, type TeacherEnvironment } from './environment/teacher.ts'

/** The levels of the service's logs, loudest last. */
export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Settings of the operator, parsed and with defaults. Absent means not set. */
export interface Environment {
  /** Port of the API: `SVC_PORT`, 8080 when absent. */
  readonly port: number
  /** True when the operator chose the port; a default may give way to a free one. */
  readonly isPortGiven: boolean
  readonly host: string
  readonly databaseUrl?: string
  readonly temporalAddress?: string
  readonly temporalNamespace?: string
  /** 32 bytes that wrap every secret at rest. */
  readonly masterKey?: Buffer
  /** Former master keys, which still open values sealed with them. */
  readonly oldMasterKeys: readonly Buffer[]
  /** 32 bytes that encrypt payloads stored by Temporal. */
  readonly codecKey?: Buffer
  /** JSON of limit overrides, as written; the mains resolve it. */
  readonly limits?: string
  readonly logLevel: (typeof LOG_LEVELS)[number]
  readonly adminKey?: string
  /** Ids of the tenants whose owners are administrators of the service. */
  readonly adminTenants: ReadonlySet<string>
  /** Addresses that callers give may lie in private networks, and need not be https. */
  readonly allowsPrivateEgress: boolean
  readonly metricsToken?: string
  /** True when `/metrics` needs no token. */
  readonly areMetricsPublic: boolean
  /** The address under which callers reach the API, without a slash at its end. */
  readonly publicUrl?: string
  /** Proxies in front of the API whose `X-Forwarded-For` entry is believed. */
  readonly trustedProxyHops: number
  readonly region: string
  readonly isInviteOnly: boolean
  /** Cores that the threads of one process, API or worker, may use. */
  readonly computeThreads: number
  readonly workerMetricsPort?: number
  /** Folders whose sub-folders are base models, the operator's (`SVC_BASES_DIR`) before the project's, absolute. */
  readonly baseFolders: readonly string[]
  /** Folder whose sub-folders, named by tenant ids, are the workspaces of tenants: `SVC_WORKSPACES_DIR`, absolute. */
  readonly workspacesDir?: string
  /** Folder of installed packs of benchmarks, absolute; and whether workers open a sandbox for code: `SVC_CODE_SANDBOX`. */
  readonly benchPacksDir?: string
  readonly hasCodeSandbox: boolean
  /** Folder or file of the pinned roots of confidential computing, absolute. */
  readonly ccRootsPath?: string
  /** Folder of everything the embedded stack keeps, absolute. */
  readonly dataDir: string
  /** Folder of the database's files, when it is on this machine; the stack sets it for its own. */
  readonly databaseDir?: string
  /** Bytes that the database may have, for one on another machine. */
  readonly databaseBytes?: number
  /** The operator's own temporal.yaml, when it is not the one of the project. */
  readonly temporalConfigPath?: string
  /** Absent without `SVC_TEACHER_API_KEY`: the service then sends no request to a provider. */
  readonly teacher?: TeacherEnvironment
  /** Addresses and keys of model providers that the gateway forwards calls to. */
  readonly upstreams: OperatorUpstreams
  readonly gatewayMode: GatewayMode
  /** Absent without `OTEL_EXPORTER_OTLP_ENDPOINT`: nothing is then exported. */
  readonly telemetry?: TelemetrySettings
  /** Absent without `SVC_SMTP_URL`: no mail is then ever sent. */
  readonly mail?: MailEnvironment
  readonly oauth: OAuthEnvironment
  readonly rentals: RentalSettings
  /** Absent when no Stripe variable is set: payments are then off. */
  readonly stripe?: StripeEnvironment
  readonly isProduction: boolean
  readonly searchPath: string
}

/** An environment in which the API and the worker can run: both stores and the master key are named. */
export interface ServiceEnvironment extends Environment {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly masterKey: Buffer
}

const Port = z.coerce.number({ error: 'must be a number' }).int().min(0).max(65_535)
const Flag = z
  .enum(['0', '1', 'true', 'false', 'yes', 'no'], { error: 'must be one of 1, 0, true, false, yes, no' })
  .transform((text) => text === '1' || text === 'true' || text === 'yes')

const Key = z.string().transform((text, context) => {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (bytes.length === 32) return bytes
  // The value stays out of the message: it may be a real key with a typing error.
  context.addIssue({ code: 'custom', message: 'must be 32 bytes, as 64 hex digits or as base64' })
  return z.NEVER
})

const KeyList = z.string().transform((text, context) => {
  const keys = listOf(text).map((part) => Key.safeParse(part))
  const bytes = keys.flatMap((key) => (key.success ? [key.data] : []))
  if (bytes.length === keys.length) return bytes
  context.addIssue({
    code: 'custom',
    message: 'must be keys of 32 bytes, each as 64 hex digits or as base64, and commas',
  })
  return z.NEVER
})

const TenantList = z
  .string()
  .transform(listOf)
  .refine((ids) => ids.every((id) => /^ten_[0-9a-z]{26}$/.test(id)), { error: 'must be ids of tenants and commas' })

const urlOf = (protocols: readonly string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be an address that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
  })

const Variables = z.object({
  SVC_PORT: Port.optional(),
  SVC_HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: urlOf(['postgres:', 'postgresql:']).optional(),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, { error: 'must be host:port' })
    .optional(),
  TEMPORAL_NAMESPACE: z.string().optional(),
  SVC_MASTER_KEY: Key.optional(),
  SVC_MASTER_KEYS_OLD: KeyList.default([]),
  SVC_CODEC_KEY: Key.optional(),
  SVC_LIMITS: z
    .string()
    .refine(isJsonObjectText, { error: 'must be a JSON object from limit name to number' })
    .optional(),
  SVC_LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  SVC_ADMIN_KEY: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
  SVC_ADMIN_TENANTS: TenantList.default([]),
  SVC_EGRESS_PRIVATE: Flag.default(false),
  SVC_METRICS_TOKEN: z.string().min(8, { error: 'must have at least 8 characters' }).optional(),
  SVC_METRICS_PUBLIC: Flag.default(false),
  SVC_PUBLIC_URL: urlOf(['http:', 'https:']).optional(),
  SVC_TRUSTED_PROXY_HOPS: z.coerce.number({ error: 'must be a number' }).int().min(0).max(16).default(0),
  SVC_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, { error: 'must be lower-case letters, digits and -' })
    .default('local'),
  SVC_INVITE_ONLY: Flag.default(false),
  SVC_COMPUTE_THREADS: z.coerce.number({ error: 'must be a number' }).int().min(1).max(256).optional(),
  SVC_WORKER_METRICS_PORT: Port.optional(),
  SVC_BASES_DIR: z.string().optional(),
  SVC_WORKSPACES_DIR: z.string().optional(),
  SVC_BENCH_PACKS_DIR: z.string().optional(),
  SVC_CODE_SANDBOX: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  SVC_CC_ROOTS: z.string().optional(),
  SVC_DATA_DIR: z.string().default('.svc'),
  SVC_DATABASE_DIR: z.string().optional(),
  SVC_DATABASE_BYTES: z.coerce.number({ error: 'must be a number of bytes' }).int().min(1).optional(),
  SVC_TEMPORAL_CONFIG: z.string().optional(),
  ...TEACHER_VARIABLES,
  ...MAIL_VARIABLES,
  ...OAUTH_VARIABLES,
  ...STRIPE_VARIABLES,
  ...TELEMETRY_VARIABLES,
  ...RENTAL_VARIABLES,
  NODE_ENV: z.string().optional(),
  PATH: z.string().default(''),
})

/**
 * The environment of a process, parsed once. An empty variable counts as absent. Throws `EnvironmentError` with one
 * line for every wrong variable; values of secrets are never repeated in it.
 */
export function loadEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = Variables.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new EnvironmentError('wrong environment variables:', problems)
  }
  const variables = parsed.data
  const { teacher, problems: wrongTeacher } = readTeacher(variables)
  const { mail, problems: wrongMail } = readMail(variables)
  const { oauth, problems: wrongOAuth } = readOAuth(variables)
  const stripe = readStripe(variables)
  const telemetry = readTelemetry(variables)
  const { upstreams, gatewayMode, problems: wrongUpstreams } = readUpstreams(given)
  const problems = [...wrongUpstreams, ...wrongTeacher, ...wrongMail, ...wrongOAuth]
  if (problems.length > 0) throw new EnvironmentError('wrong environment variables:', problems)
  return {
    port: variables.SVC_PORT ?? 8080,
    isPortGiven: variables.SVC_PORT !== undefined,
    host: variables.SVC_HOST,
    logLevel: variables.SVC_LOG_LEVEL,
    trustedProxyHops: variables.SVC_TRUSTED_PROXY_HOPS,
    region: variables.SVC_REGION,
    isInviteOnly: variables.SVC_INVITE_ONLY,
    areMetricsPublic: variables.SVC_METRICS_PUBLIC,
    computeThreads: variables.SVC_COMPUTE_THREADS ?? Math.max(1, availableParallelism()),
    baseFolders: baseFolders(variables.SVC_BASES_DIR),
    dataDir: resolve(variables.SVC_DATA_DIR),
    isProduction: variables.NODE_ENV === 'production',
    searchPath: variables.PATH,
    oldMasterKeys: variables.SVC_MASTER_KEYS_OLD,
    adminTenants: new Set(variables.SVC_ADMIN_TENANTS),
    allowsPrivateEgress: variables.SVC_EGRESS_PRIVATE,
    oauth,
    rentals: readRentals(variables),
    upstreams,
    gatewayMode,
    ...(teacher !== undefined && { teacher }),
    ...(mail !== undefined && { mail }),
    ...(stripe !== undefined && { stripe }),
    ...(telemetry !== undefined && { telemetry }),
    ...(variables.DATABASE_URL !== undefined && { databaseUrl: variables.DATABASE_URL }),
    ...(variables.TEMPORAL_ADDRESS !== undefined && { temporalAddress: variables.TEMPORAL_ADDRESS }),
    ...(variables.TEMPORAL_NAMESPACE !== undefined && { temporalNamespace: variables.TEMPORAL_NAMESPACE }),
    ...(variables.SVC_MASTER_KEY !== undefined && { masterKey: variables.SVC_MASTER_KEY }),
    ...(variables.SVC_CODEC_KEY !== undefined && { codecKey: variables.SVC_CODEC_KEY }),
    ...(variables.SVC_LIMITS !== undefined && { limits: variables.SVC_LIMITS }),
    ...(variables.SVC_ADMIN_KEY !== undefined && { adminKey: variables.SVC_ADMIN_KEY }),
    ...(variables.SVC_METRICS_TOKEN !== undefined && { metricsToken: variables.SVC_METRICS_TOKEN }),
    ...(variables.SVC_PUBLIC_URL !== undefined && { publicUrl: variables.SVC_PUBLIC_URL.replace(/\/+$/, '') }),
    ...(variables.SVC_WORKER_METRICS_PORT !== undefined && { workerMetricsPort: variables.SVC_WORKER_METRICS_PORT }),
    ...(variables.SVC_BENCH_PACKS_DIR !== undefined && { benchPacksDir: resolve(variables.SVC_BENCH_PACKS_DIR) }),
    hasCodeSandbox: variables.SVC_CODE_SANDBOX === 'on',
    ...(variables.SVC_WORKSPACES_DIR !== undefined && { workspacesDir: resolve(variables.SVC_WORKSPACES_DIR) }),
    ...(variables.SVC_DATABASE_DIR !== undefined && { databaseDir: resolve(variables.SVC_DATABASE_DIR) }),
    ...(variables.SVC_DATABASE_BYTES !== undefined && { databaseBytes: variables.SVC_DATABASE_BYTES }),
    ...(variables.SVC_CC_ROOTS !== undefined && { ccRootsPath: resolve(variables.SVC_CC_ROOTS) }),
    ...(variables.SVC_TEMPORAL_CONFIG !== undefined && { temporalConfigPath: resolve(variables.SVC_TEMPORAL_CONFIG) }),
  }
}

/**
 * Returns the environment of this process over the file `.env` of the working folder, if there is one. Throws
 * `EnvironmentError`.
 */
export function readEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env')
  return loadEnvironment(process.env)
}

/**
 * Returns the same environment if the API or a worker can run in it. Throws `EnvironmentError` that names the missing
 * variables and the command that provides them.
 */
export function requireServices(environment: Environment): ServiceEnvironment {
  const { databaseUrl, temporalAddress, masterKey } = environment
  if (databaseUrl !== undefined && temporalAddress !== undefined && masterKey !== undefined) {
    return { ...environment, databaseUrl, temporalAddress, masterKey }
  }
  const problems = [
    ...(databaseUrl === undefined ? ['DATABASE_URL: postgres://user:password@host:port/database'] : []),
    ...(temporalAddress === undefined ? ['TEMPORAL_ADDRESS: host:port of a Temporal server'] : []),
    ...(masterKey === undefined ? ['SVC_MASTER_KEY: 32 bytes, as 64 hex digits or as base64'] : []),
  ]
  throw new EnvironmentError('run `npm start`, which provides all of it, or set:', problems)
}

/** The parts of a text between commas. */
function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function isJsonObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
