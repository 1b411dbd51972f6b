import { LivenessView } from '../../core/overview/wire/health/liveness.ts'
import { ReadinessView } from '../../core/overview/wire/health/readiness.ts'
import { CliError } from '../cli-error.ts'
import { readAnswer } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { readEnvironment } from '../../config/environment.ts'
import { resolveLimits } from '../../core/limits.ts'
import { EXIT } from '../exit-codes.ts'
import { inspectStack, type Finding } from '../../stack/inspect.ts'
import { paint } from '../terminal/output.ts'

const OLDEST_NODE = [24, 0] as const

/**
 * `svc doctor`: checks the requirements of the service and this CLI; returns 1 when a check fails. Skips the local
 * requirements when the selected server is another machine.
 */
export async function doctor(context: CliContext): Promise<number> {
  const url = await context.url()
  const isElsewhere = !isLoopback(new URL(url).hostname)
  const findings = [
    inspectNode(),
    ...(isElsewhere
      ? [{ name: 'stack', state: 'unset', detail: `not needed here: the server is ${url}` } as const]
      : await inspectHere()),
    ...(await inspectServer(context, url, isElsewhere)),
  ]
  context.output.result({ ok: findings.every(({ state }) => state !== 'bad'), findings }, () => describe(findings))
  return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok
}

/** Checks the service's requirements on this machine. */
async function inspectHere(): Promise<readonly Finding[]> {
  try {
    const { databaseUrl, temporalAddress, limits, ...environment } = readEnvironment()
    resolveLimits(limits)
    const wellFormed = {
      name: 'environment',
      state: 'ok',
      detail: 'every variable that is set is well formed',
    } as const
    return [wellFormed, ...(await inspectStack({ ...environment, given: { databaseUrl, temporalAddress } }))]
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return [{ name: 'environment', state: 'bad', detail }]
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function inspectNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const detail = isNew ? process.versions.node : `${process.versions.node}; at least ${OLDEST_NODE.join('.')} is needed`
  return { name: 'node', state: isNew ? 'ok' : 'bad', detail }
}

async function inspectServer(context: CliContext, url: string, isElsewhere: boolean): Promise<readonly Finding[]> {
  const get = async (path: string) => await fetch(`${url}${path}`, { signal: AbortSignal.timeout(5000) })
  const findings: Finding[] = []
  let isThere = true
  try {
    const health = await readAnswer(await get('/health'), LivenessView)
    const ready = await readAnswer(await get('/ready'), ReadinessView)
    const sandbox = ready.checks.find(({ name }) => name === 'code_sandbox')
    const failing = ready.checks.filter(({ ok, required }) => required && !ok).map(({ name }) => name)
    findings.push({
      name: 'server',
      state: failing.length === 0 ? 'ok' : 'bad',
      detail: `${url}, version ${health.version}${failing.length === 0 ? '' : `, not ready: ${failing.join(', ')}`}`,
    })
    if (sandbox !== undefined) {
      findings.push({ name: 'code sandbox', state: sandbox.ok ? 'ok' : 'unset', detail: sandbox.label })
    }
  } catch (error) {
    isThere = false
    findings.push(describeAbsence(error, url, isElsewhere))
  }
  const { api_key: storedKey, pinned_keys: pinned } = await context.profile()
  findings.push(await inspectKey(context, !isThere, storedKey !== undefined))
  findings.push({
    name: 'pinned keys',
    state: pinned.length === 0 ? 'unset' : 'ok',
    detail:
      pinned.length === 0 ? 'none: svc login pins the keys of the server' : pinned.map(({ kid }) => kid).join(', '),
  })
  return findings
}

/** A server that answers something else is a fault; one that does not answer is a fault unless it would run here. */
function describeAbsence(error: unknown, url: string, isElsewhere: boolean): Finding {
  if (error instanceof CliError) return { name: 'server', state: 'bad', detail: error.message }
  return isElsewhere
    ? { name: 'server', state: 'bad', detail: `no svc API answers at ${url}` }
    : { name: 'server', state: 'unset', detail: `no server answers at ${url}: npm start` }
}

async function inspectKey(context: CliContext, isAway: boolean, isStored: boolean): Promise<Finding> {
  const client = await context.client().catch(() => undefined)
  if (client === undefined)
    return { name: 'key', state: 'unset', detail: 'none: svc signup, svc login, or SVC_API_KEY' }
  const origin = isStored ? 'of the profile' : 'of SVC_API_KEY'
  if (isAway) return { name: 'key', state: 'unset', detail: `${origin}, not checked: the server does not answer` }
  try {
    await client.open('/v1/account')
    return { name: 'key', state: 'ok', detail: `${origin}, accepted` }
  } catch (error) {
    return { name: 'key', state: 'bad', detail: `${origin}: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function describe(findings: readonly Finding[]): string {
  const marks = { ok: paint('green', '✔'), unset: paint('dim', '–'), bad: paint('red', '✘') }
  return findings
    .map(({ name, state, detail }) => `${marks[state]} ${name.padEnd(12)} ${detail.replaceAll('\n', '\n  ')}`)
    .join('\n')
}
