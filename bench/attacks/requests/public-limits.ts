import type { Route } from '../../../api/kernel/route.ts'
import { ROUTES } from '../../../api/routes.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { pathOf, schemasOf } from '../../../test/support/wire/declared-routes.ts'
import { callerAt, nextAddress, type AddressCaller } from '../../harness/from-address.ts'
import { atLeast, atMost, LIMITS_OF_ADDRESSES, type Attack } from '../attack.ts'

const CONNECTIONS = 8
/** Calls beyond a limit, as long as none is refused. */
const BEYOND = 20
const MB = 1024 * 1024

const open = ROUTES.filter(({ auth }) => auth === 'public' || auth === 'optional')
const kept = ROUTES.filter(({ keptForS }) => keptForS !== undefined)

/**
 * Uses the limit of every public route up from one address, then calls all of them from there and from another address.
 * And asks again and again for answers that are kept.
 */
export const publicLimits: Attack = {
  name: 'public-limits',
  limits: LIMITS_OF_ADDRESSES,
  async run({ apiUrl }) {
    let calls = 0
    let beyond = 0
    const unlimited: string[] = []
    const refusedElsewhere: string[] = []
    for (const routes of Map.groupBy(open, ({ limit }) => limit?.name).values()) {
      const points = limitOf(routes[0])
      const greedy = callerAt(apiUrl, nextAddress(), CONNECTIONS)
      const other = callerAt(apiUrl, nextAddress())
      const answered = await useUp(greedy, cheapest(routes), points)
      calls += answered + 2 * routes.length
      beyond += Math.max(0, answered - points)
      for (const route of routes) {
        if ((await callRoute(greedy, route)).status !== 429) unlimited.push(route.operationId)
        if ((await callRoute(other, route)).status === 429) refusedElsewhere.push(route.operationId)
      }
      await Promise.all([greedy.close(), other.close()])
    }
    for (const name of unlimited) console.log(`  ${name} goes on beyond its limit`)
    const { megabytes, ofOne } = await askAgain(apiUrl)
    return [
      atLeast('calls', calls, 1000),
      atMost('public routes that go on beyond their limit', unlimited.length),
      atMost('calls answered beyond a limit', beyond),
      atMost('public routes refused to another address', refusedElsewhere.length),
      atMost('MB of openapi.json sent to one that keeps it and asks as often as it may', megabytes, ofOne + 0.001),
      atMost('kept answers sent again to a caller that has them', await sentAgain(apiUrl)),
    ]
  },
}

function limitOf(route: Route | undefined): number {
  return route?.limit === undefined ? 0 : DEFAULT_LIMITS[route.limit.limit]
}

/** The route of a limit that costs its callers least: without a body, without parameters. */
function cheapest(routes: readonly Route[]): Route {
  const cost = (route: Route) => (schemasOf(route).body === undefined ? 0 : 2) + (route.path.includes('{') ? 1 : 0)
  const [first] = routes.toSorted((a, b) => cost(a) - cost(b))
  if (first === undefined) throw new Error('a limit without a route')
  return first
}

async function callRoute(caller: AddressCaller, route: Route) {
  const hasBody = route.method !== 'get' && route.method !== 'delete'
  // A call counts before its body is read, so an empty one does.
  return await caller.call(route.method.toUpperCase(), pathOf(route), { ...(hasBody && { body: {} }) })
}

/** Calls a route until it is refused; answers how many calls were not. */
async function useUp(caller: AddressCaller, route: Route, points: number): Promise<number> {
  let sent = 0
  let answered = 0
  let isRefused = false
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (!isRefused && sent < points + BEYOND) {
        sent++
        const { status } = await callRoute(caller, route)
        if (status === 429) isRefused = true
        else answered++
      }
    }),
  )
  return answered
}

/** Asks for `/openapi.json` again and again, as a caller that keeps it; answers the megabytes that are sent to it. */
async function askAgain(apiUrl: string): Promise<{ readonly megabytes: number; readonly ofOne: number }> {
  const caller = callerAt(apiUrl, nextAddress(), CONNECTIONS)
  const { text, headers: first } = await caller.call('GET', '/openapi.json')
  const headers = { 'if-none-match': first.get('etag') ?? '' }
  let bytes = text.length
  await inParallel(DEFAULT_LIMITS.documents_per_ip_minute - 1, async () => {
    bytes += (await caller.call('GET', '/openapi.json', { headers })).text.length
  })
  await caller.close()
  return { megabytes: bytes / MB, ofOne: text.length / MB }
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await work()
    }),
  )
}

/** Number of kept answers that come whole although the caller names their tag. */
async function sentAgain(apiUrl: string): Promise<number> {
  const caller = callerAt(apiUrl, nextAddress())
  let count = 0
  for (const { path } of kept) {
    const { headers } = await caller.call('GET', path)
    const again = await caller.call('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    if (again.status !== 304 || again.text !== '') count++
  }
  await caller.close()
  return count
}
