import { expect } from 'chai'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { createRemembered } from '../../../db/accounts/keys/authentication/remembered.ts'

function givenPrincipal(name: string, more: Partial<Principal> = {}): { readonly principal: Principal } {
  const principal: Principal = {
    tenantId: 'ten_one',
    plan: 'free',
    quota: null,
    kind: 'scoped',
    keyId: `key_${name}`,
    memberId: 'mbr_one',
    teamId: null,
    scopes: ['run'],
    ...more,
  }
  return { principal }
}

describe('credentials that are remembered', () => {
  const given = (ttlMs = 60_000) => createRemembered<{ readonly principal: Principal }>({ ttlMs })

  const keep = (remembered: ReturnType<typeof given>, name: string, more: Partial<Principal> = {}) => {
    const look = remembered.lookUp(name)
    look.keep(givenPrincipal(name, more))
    look.end()
  }

  it('are forgotten with their key, session, member or tenant, and no others with them', () => {
    for (const id of ['key_a', 'ses_a', 'mbr_a', 'ten_a']) {
      const remembered = given()
      keep(remembered, 'a', { tenantId: 'ten_a', memberId: 'mbr_a', sessionId: 'ses_a' })
      keep(remembered, 'b')
      remembered.forget(id)
      expect([remembered.get('a'), remembered.get('b') === undefined], id).to.deep.equal([undefined, false])
    }
    const remembered = given()
    keep(remembered, 'a')
    keep(remembered, 'b')
    remembered.forget('ten_one')
    expect([remembered.get('a'), remembered.get('b')]).to.deep.equal([undefined, undefined])
  })

  it('are not cached when one of their dependencies ended during the look-up', () => {
    const remembered = given()
    const look = remembered.lookUp('a')
    remembered.forget('mbr_one')
    expect(look.keep(givenPrincipal('a'))).to.equal(false)
    look.end()
    expect(remembered.get('a')).to.equal(undefined)
    const beforeReconnect = remembered.lookUp('b')
    remembered.forgetAll()
    beforeReconnect.keep(givenPrincipal('b'))
    beforeReconnect.end()
    expect(remembered.get('b')).to.equal(undefined)
  })

  it('are not cached by an abandoned look-up, which does not see later ends', () => {
    const remembered = given()
    const look = remembered.lookUp('a')
    look.end()
    remembered.forgetAll()
    expect(look.keep(givenPrincipal('a'))).to.equal(false)
    expect(remembered.get('a')).to.equal(undefined)
  })

  it('are kept whatever ends elsewhere, so that one tenant cannot slow the keys of others', () => {
    const remembered = given()
    const look = remembered.lookUp('a')
    remembered.forget('key_of_somebody_else')
    remembered.forget('ten_other')
    expect(look.keep(givenPrincipal('a'))).to.equal(true)
    look.end()
    expect(remembered.get('a')).not.to.equal(undefined)
  })

  it('are not kept at all without a time to live', () => {
    const remembered = given(0)
    keep(remembered, 'a')
    expect(remembered.get('a')).to.equal(undefined)
  })
})
