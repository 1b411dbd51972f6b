import { expect } from 'chai'
import { z } from 'zod'
import { defineRoute as defineCompileRoute } from '../../../api/compile/services.ts'
import { CHECKS } from '../../../api/kernel/guard/public-limits.ts'
import { envelope } from '../../../api/kernel/reply/answers.ts'
import { defineRoute as defineLedgerRoute } from '../../../api/ledger/services.ts'

/** The part that both routes of this test declare alike. */
const declaration = {
  method: 'get',
  path: '/v1/example',
  operationId: 'example',
  group: 'test',
  summary: 'An example',
  auth: 'key',
  namespace: 'refused',
  answers: { 200: envelope('Done', z.object({})) },
} as const

/** The type check is the test: each `@ts-expect-error` fails it when the line below compiles. */
describe('a route of an area', () => {
  it('sees services of its area and those below', () => {
    const route = defineCompileRoute({ ...declaration, scope: 'run', errors: ['no_examples', 'not_found'] })
    const handled = route.handle(async ({ services }) => {
      expect([services.recipes, services.signingKeys, services.limits.task_chars]).to.have.length(3)
      return { status: 200, body: {} }
    })
    expect(handled.errors).to.deep.equal(['no_examples', 'not_found'])
  })

  it('does not see services and limits of higher areas', () => {
    const route = defineLedgerRoute({ ...declaration, scope: 'receipts:read' }).handle(async ({ services }) => {
      // @ts-expect-error -- recipes are a service of compile
      expect(services.recipes).to.equal(undefined)
      // @ts-expect-error -- task_chars is a limit of compile
      expect(services.limits.task_chars).to.equal(undefined)
      return { status: 200, body: {} }
    })
    expect(route.scope).to.equal('receipts:read')
  })

  it('does not name codes and scopes of higher areas', () => {
    // @ts-expect-error -- no_examples is a code of compile
    const withCode = defineLedgerRoute({ ...declaration, scope: 'receipts:read', errors: ['no_examples'] })
    // @ts-expect-error -- compile:read is a scope of compile
    const withScope = defineLedgerRoute({ ...declaration, scope: 'compile:read' })
    expect([withCode, withScope]).to.have.length(2)
  })
})

describe('a route', () => {
  const post = { ...declaration, method: 'post', scope: 'receipts:read' } as const
  const { namespace: _ofKeys, ...ofAll } = declaration
  const open = { ...ofAll, auth: 'public', scope: undefined } as const

  it('does not compile without `stores` when its method takes a body', () => {
    // @ts-expect-error -- a route that takes a body says what it stores
    const silent = defineLedgerRoute(post)
    const stated = defineLedgerRoute({ ...post, stores: 'bounded' })
    expect([silent, stated]).to.have.length(2)
  })

  it('does not compile with raw bytes when the kernel settles its keys', () => {
    const raw = { ...post, stores: 'blobs', rawBody: 'json_body_bytes' } as const
    // @ts-expect-error -- the kernel compares repeated calls by their JSON
    const unsettled = defineLedgerRoute({ ...raw, idempotency: 'kernel' })
    const [settled, unkeyed] = [defineLedgerRoute({ ...raw, idempotency: 'handler' }), defineLedgerRoute(raw)]
    expect([unsettled, settled, unkeyed]).to.have.length(3)
  })

  it('does not compile without `limit` when it is public', () => {
    // @ts-expect-error -- a public route has a limit per address
    const unlimited = defineLedgerRoute(open)
    const limited = defineLedgerRoute({ ...open, limit: CHECKS })
    expect([unlimited, limited]).to.have.length(2)
  })
})
