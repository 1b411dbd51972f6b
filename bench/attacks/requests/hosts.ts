import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { FORWARDING } from '../../../api/kernel/request/this-machine.ts'
import { ROUTES } from '../../../api/routes.ts'
import { givenApiTenant } from '../../../test/support/api.ts'
import { givenPlan } from '../../../test/support/people/given-members.ts'
import { pathOf } from '../../../test/support/wire/declared-routes.ts'
import { exchange } from '../../../test/support/wire/exchange.ts'
import { behind } from '../../harness/behind.ts'
import { callerAt, nextAddress } from '../../harness/from-address.ts'
import type { BenchService } from '../../harness/service.ts'
import { atLeast, atMost, LIMITS_OF_ADDRESSES, type Attack } from '../attack.ts'

const AT_ONCE = 8
const ADDRESSES = ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', '10.0.0.1', 'for=127.0.0.1;host=localhost', '']
const HOSTS = ['api.example.com', '127.0.0.1.example.com', 'localhost.', '0.0.0.0', '10.0.0.1:80', '127.1', '[::2]', '']
const FAILING_PROVIDERS = 20
/** Answers of identity providers that are none. */
const WRONG_ANSWERS = ['', '{}', '<html>', '{"issuer":"https://elsewhere.test"}', 'null']
/** pino's number for `error`. */
const ERROR_LEVEL = 50

const Line = z.looseObject({ level: z.int() })
const CONFIGURE = '/v1/account/sso/configure'

/**
 * Asks for the metrics in the name of other callers, calls every route without a host and with two, and makes calls
 * fail by identity providers that do not answer as such.
 */
export const hosts: Attack = {
  name: 'hosts',
  limits: LIMITS_OF_ADDRESSES,
  async run(service) {
    const metrics = await askForMetrics(service.apiUrl)
    const wrong = await callWithoutHost(service.apiUrl)
    const providers = await failElsewhere(service)
    return [
      atLeast('requests for metrics by others', metrics.tried, 80),
      atMost('of these, answered with metrics or without our envelope', metrics.wrong),
      atMost('requests of this machine for metrics refused', metrics.refused),
      atLeast('requests without a host, or with two', wrong.tried, 3 * ROUTES.length),
      atMost('of these, not refused in our envelope', wrong.wrong),
      atLeast('calls that failed by the caller’s identity provider', providers.failed, FAILING_PROVIDERS / 2),
      atMost('of these, logged as errors or with a stack', providers.errors),
    ]
  },
}

/** Every header of a proxy with every address, and hosts that are not this machine. */
async function askForMetrics(apiUrl: string) {
  const caller = callerAt(apiUrl, nextAddress())
  const disguises = [
    ...[...FORWARDING, ...FORWARDING.map((name) => name.toUpperCase())].flatMap((name) =>
      ADDRESSES.map((address) => ({ [name]: address })),
    ),
    ...HOSTS.filter((host) => host !== '').map((host) => ({ host })),
  ]
  let wrong = 0
  let refused = 0
  for (const headers of disguises) {
    const { status, text } = await caller.call('GET', '/metrics', { headers })
    if (status !== 401 || !isEnvelope(text, 'invalid_metrics_bearer')) wrong++
    if ((await caller.call('GET', '/metrics')).status !== 200) refused++
  }
  await caller.close()
  return { tried: disguises.length, wrong, refused }
}

/** Every route with no `Host`, with two and with an empty one beside another. */
async function callWithoutHost(apiUrl: string) {
  const heads = ROUTES.flatMap((route) =>
    ['', 'Host: a\r\nhost: b\r\n', 'Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n'].map(
      (names) => `${route.method.toUpperCase()} ${pathOf(route)} HTTP/1.1\r\n${names}Content-Length: 0\r\n`,
    ),
  )
  const left = [...heads]
  let wrong = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let head = left.pop(); head !== undefined; head = left.pop()) {
        const answer = await exchange(apiUrl, `${head}Connection: close\r\n\r\n`)
        const isRefused = answer.startsWith('HTTP/1.1 400 ') && isEnvelope(bodyOf(answer), 'invalid_http')
        if (!isRefused) console.log(`  ${head.split('\r\n', 1)[0]}: ${answer.slice(0, 200)}`)
        if (!isRefused) wrong++
      }
    }),
  )
  return { tried: heads.length, wrong }
}

function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)
}

function isEnvelope(text: string, code: string): boolean {
  return text.includes(`"code":"${code}"`) && text.includes('"request_id":"req_')
}

/** Names identity providers that answer wrongly; counts the lines that the API logged as errors meanwhile. */
async function failElsewhere(service: BenchService) {
  let turn = 0
  const provider = createServer((_request, response) => {
    response.writeHead(turn % 2 === 0 ? 200 : 500, { 'content-type': 'application/json' })
    response.end(WRONG_ANSWERS[turn++ % WRONG_ANSWERS.length])
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  const logged = service.apiLog().length
  let failed = 0
  try {
    await behind(service, async (api) => {
      // The sign-ups of other attacks may have used up the limit of this process's address.
      const newcomer = callerAt(service.apiUrl, nextAddress())
      const tenant = await givenApiTenant(newcomer)
      await newcomer.close()
      await givenPlan(api.server.services.db, tenant.id, 'business')
      for (let i = 0; i < FAILING_PROVIDERS; i++) {
        const { status } = await api.call('POST', CONFIGURE, {
          key: tenant.key,
          body: {
            provider: 'oidc-generic',
            oidc_issuer: `http://127.0.0.1:${i % 4 === 3 ? 1 : port}/${i}`,
            oidc_client_id: 'svc',
            oidc_client_secret: 'a-secret-of-the-client',
          },
        })
        if (status === 502) failed++
      }
    })
  } finally {
    provider.closeAllConnections()
    provider.close()
  }
  const lines = service.apiLog().slice(logged)
  const errors = lines.filter((line) => {
    const parsed = Line.safeParse(tryParse(line))
    return parsed.success && (parsed.data.level >= ERROR_LEVEL || 'err' in parsed.data || 'stack' in parsed.data)
  })
  return { failed, errors: errors.length }
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
