import { randomInt } from 'node:crypto'
import type { Route } from '../../../api/kernel/route.ts'
import { givenApiTenant } from '../../../test/support/api.ts'
import { DOWNLOADS, givenDownloads } from '../../../test/support/wire/walks/downloads.ts'
import { behind } from '../../harness/behind.ts'
import { callerAt, nextAddress } from '../../harness/from-address.ts'
import { ROOM } from '../../harness/service.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

const CALLS_PER_ROUTE = 80
const AT_ONCE = 4

/** A file of a tenant, and the key that reads it where it is not public. */
interface Download {
  readonly path: string
  readonly key?: string
}

/**
 * Downloads files by every route that hands them out, in parts that begin and end anywhere, between calls that get no
 * byte. The audit log must have one line for each answer with bytes.
 */
export const downloads: Attack = {
  name: 'downloads',
  limits: ROOM,
  run: async (service) =>
    await behind(service, async (api) => {
      const tenant = await givenApiTenant(api)
      const paths = await givenDownloads(api, tenant)
      const linesOf = async () => {
        const { text } = await api.call('GET', '/v1/account/audit-log?format=csv', { key: tenant.key })
        return text.split('\n').filter((line) => /\b\w+\.downloaded\b/.test(line)).length
      }
      const wrong: string[] = []
      let calls = 0
      let withBytes = 0
      for (const route of DOWNLOADS) {
        const before = await linesOf()
        const answered = await downloadParts(service.apiUrl, downloadOf(route, paths, tenant.key))
        const lines = (await linesOf()) - before
        calls += CALLS_PER_ROUTE
        withBytes += answered
        if (lines !== answered) wrong.push(`${route.operationId}: ${answered} answers with bytes, ${lines} lines`)
      }
      for (const each of wrong) console.log(`  ${each}`)
      return [
        atLeast('calls of routes that hand out files', calls, 300),
        atLeast('answers with bytes', withBytes, 200),
        atMost('routes whose lines are not one for each', wrong.length),
      ]
    }),
}

function downloadOf(route: Route, paths: Readonly<Record<string, string>>, key: string): Download {
  const path = paths[route.operationId]
  if (path === undefined) throw new Error(`${route.operationId} hands out a file: givenDownloads makes none for it`)
  return { path, ...(route.auth !== 'public' && { key }) }
}

/** Asks for parts, and for nothing now and then; answers how many answers had bytes. */
async function downloadParts(apiUrl: string, { path, key }: Download): Promise<number> {
  const caller = callerAt(apiUrl, nextAddress(), AT_ONCE)
  const ask = async (method: string, headers: Readonly<Record<string, string>> = {}) =>
    await caller.call(method, path, { ...(key !== undefined && { key }), headers })
  const head = await ask('HEAD')
  const size = Number(head.headers.get('content-length'))
  const etag = head.headers.get('etag') ?? ''
  let withBytes = 0
  let left = CALLS_PER_ROUTE
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const { status, text } = await ask(...callOf(left, { size, etag }))
        if ((status === 200 || status === 206) && text !== '') withBytes++
      }
    }),
  )
  await caller.close()
  return withBytes
}

type Call = readonly [method: string, headers: Readonly<Record<string, string>>]

/** A method and headers: of each eight calls six get bytes. */
function callOf(turn: number, { size, etag }: { readonly size: number; readonly etag: string }): Call {
  const first = randomInt(size)
  const last = randomInt(first, size)
  const calls: readonly Call[] = [
    ['GET', {}],
    ['GET', { range: `bytes=${first}-` }],
    ['GET', { range: `bytes=${first}-${last}` }],
    ['GET', { range: `bytes=-${size - first}` }],
    ['GET', { range: `bytes=1-${size + 1000}` }],
    ['GET', { range: `bytes=${first}-${last}`, 'if-range': '"another file"' }],
    turn % 16 < 8 ? ['HEAD', { range: 'bytes=1-' }] : ['GET', { range: `bytes=${size}-` }],
    ['GET', { 'if-none-match': etag, range: 'bytes=1-' }],
  ]
  return calls[turn % calls.length] ?? ['GET', {}]
}
