import { expect } from 'chai'
import { readActor } from '../../../core/ledger/actors/actor-refs.ts'
import { actorText } from '../../../core/ledger/actors/actor-text.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { describeActor, type Actor } from '../../../db/kernel/operation.ts'

const ADA = { id: 'mbr_1', name: 'Ada', email: 'ada@example.test' }
const KEY = { id: 'key_1', prefix: 'ks_0123456789ab', label: 'reporting', isPrimary: false }

/** The words for an actor whose member and key exist. */
function wordsOf(actor: Actor, line: { payload?: Record<string, Json> } = {}): string {
  const refs = readActor({ actor: describeActor(actor), payload: {}, ...line })
  return actorText({ refs, member: refs.memberId === null ? null : ADA, key: refs.keyId === null ? null : KEY })
}

describe('the actor of an audit line', () => {
  it('is a person in a browser, or a key', () => {
    expect(wordsOf({ kind: 'session', sessionId: 'ses_1', memberId: 'mbr_1' })).to.equal('Ada, from a browser')
    expect(wordsOf({ kind: 'key', keyId: 'key_1' })).to.equal('key reporting (ks_…89ab)')
    expect(wordsOf({ kind: 'session', sessionId: 'ses_1', memberId: null, keyId: 'key_1' })).to.equal(
      'key reporting (ks_…89ab), from a browser',
    )
    expect(wordsOf({ kind: 'session', sessionId: 'ses_1', memberId: 'mbr_1', keyId: 'key_1' })).to.equal(
      'Ada, from a browser',
    )
    expect(wordsOf({ kind: 'session', sessionId: 'ses_1', memberId: null })).to.equal('browser session')
  })

  it('is the person who signs in, although no session exists yet', () => {
    const line = (method: string) => ({
      payload: { member_id: 'mbr_1', auth_method: method },
    })
    expect(wordsOf({ kind: 'anonymous' }, line('mail'))).to.equal('Ada, by a mailed link')
    expect(wordsOf({ kind: 'anonymous' }, line('oauth'))).to.equal('Ada, by OAuth')
    expect(wordsOf({ kind: 'system', name: 'saml' }, line('saml'))).to.equal('Ada, by single sign-on')
    expect(wordsOf({ kind: 'anonymous' })).to.equal('visitor, not signed in')
  })

  it('is a part of the service, an operator or another system', () => {
    expect(wordsOf({ kind: 'system', name: 'housekeeping' })).to.equal('schedule housekeeping')
    expect(wordsOf({ kind: 'system', name: 'compile' })).to.equal('compile job')
    expect(wordsOf({ kind: 'system', name: 'share-link shr_1' })).to.equal('share link')
    expect(wordsOf({ kind: 'admin', name: 'key' })).to.equal('operator, with the admin key')
    expect(wordsOf({ kind: 'scim', keyId: 'key_1' })).to.equal('identity provider (SCIM)')
    expect(wordsOf({ kind: 'processor', eventId: 'evt_1' })).to.equal('payment processor')
  })

  it('names a removed member or key by its id', () => {
    const gone = (actor: string) => actorText({ refs: readActor({ actor, payload: {} }), member: null, key: null })
    expect(gone('session:ses_1 of mbr_9')).to.equal('former member mbr_9, from a browser')
    expect(gone('key:key_9')).to.equal('former key key_9')
  })
})
