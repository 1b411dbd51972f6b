import { expect } from 'chai'
import { checkMove } from '../../../../core/compile/artifacts/life/check-move.ts'
import {
  checkRevocations,
  findRevocation,
  revocationList,
} from '../../../../core/compile/artifacts/life/revocation-list.ts'
import type { Revocation } from '../../../../core/compile/wire/artifacts/revocations.ts'
import { isInForce, LIFE_STATES, type LifeState } from '../../../../core/compile/artifacts/life/states.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'
import { toJwk, trustKeys } from '../../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey, sealFixture } from '../../../support/archives/archives.ts'
import { mulberry32 } from '../../../../core/model/classifier/logistic-regression.ts'

/** The two tables of the reference, edge by edge, and the way out of `signed` for a leaked key. */
const EDGES = `created>signed signed>deployed signed>archived signed>revoked deployed>monitored deployed>superseded
  deployed>revoked deployed>undeployed undeployed>deployed undeployed>archived monitored>deployed monitored>superseded
  monitored>revoked monitored>drift_detected drift_detected>re_evaluated drift_detected>superseded drift_detected>revoked
  re_evaluated>monitored re_evaluated>superseded re_evaluated>revoked superseded>archived superseded>revoked`
const MODEL = new Set(EDGES.split(/\s+/))

describe('the life of an artifact', () => {
  it('equals a model over 1,000 random sequences of moves', () => {
    const random = mulberry32(16)
    const names: readonly string[] = [...LIFE_STATES, 'teleported', '', '__proto__', 'Deployed']
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    let moved = 0
    for (let sequence = 0; sequence < 1000; sequence++) {
      let state: LifeState = 'signed'
      let expected: string = 'signed'
      for (let step = 0; step < 12; step++) {
        const to = pick(names)
        const reason = pick([null, 'leaked'])
        const successorId = pick([null, 'cmp_other'])
        const isAllowed =
          MODEL.has(`${expected}>${to}`) &&
          (to !== 'revoked' || reason !== null) &&
          (to === 'superseded') === (successorId !== null)
        if (isAllowed) expected = to
        try {
          state = checkMove(state, { toState: to, reason, successorId })
          moved++
          expect(isAllowed, `${state} to ${to}`).to.equal(true)
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
          expect(isAllowed, `${state} to ${to}: ${error.message}`).to.equal(false)
          const isInTable = MODEL.has(`${expected}>${to}`)
          expect(error.code).to.equal(isInTable ? 'validation_failed' : 'invalid_transition')
        }
        expect(state).to.equal(expected)
      }
    }
    expect(moved).to.be.greaterThan(800)
  })

  it('names the field that a move lacks, and the states that can follow', () => {
    const of = (from: LifeState, toState: string) => {
      try {
        checkMove(from, { toState, reason: null, successorId: null })
      } catch (error) {
        return error as DomainError
      }
      return expect.fail('moved')
    }
    expect(of('signed', 'revoked').details?.fields?.[0]?.field).to.equal('reason')
    expect(of('deployed', 'superseded').details?.fields?.[0]?.field).to.equal('successor_id')
    expect(of('revoked', 'archived').message).to.equal(
      'an artifact cannot move from revoked to archived; revoked is final',
    )
    expect(of('undeployed', 'teleported').details).to.deep.equal({
      fields: [{ field: 'to_state', message: 'is not a state' }],
      from: 'undeployed',
      to: 'teleported',
      valid_transitions: ['deployed', 'archived'],
    })
  })

  it('is in force until it is superseded, revoked or archived', () => {
    expect(LIFE_STATES.filter((state) => state !== 'created' && !isInForce(state))).to.deep.equal([
      'superseded',
      'revoked',
      'archived',
    ])
  })
})

describe('the list of revoked artifacts', () => {
  const signer = fixedSigningKey()
  const trusted = trustKeys([toJwk(signer.publicKey)])
  const now = new Date('2026-11-24T10:20:30.000Z')
  const entry = (number: number): Revocation => ({
    number,
    cid: `cidv1:${sha256(`content ${number}`)}`,
    artifact_hash: sha256(`artifact ${number}`),
    revoked_at: '2026-11-24T09:00:00.000Z',
  })

  it('is the same document within an hour, and is checked by the public key alone', () => {
    const list = revocationList([entry(1), entry(2)], signer, now)
    expect(list).to.include({ spec: 'svc-revocations-1', number: 2, issued_at: '2026-11-24T10:00:00.000Z' })
    expect(revocationList([entry(1), entry(2)], signer, new Date('2026-11-24T10:59:59.999Z'))).to.deep.equal(list)
    expect(checkRevocations(list, trusted)).to.deep.equal({ ok: true, list, signature: 'trusted' })
    expect(checkRevocations(list, undefined)).to.deep.include({ ok: true, signature: 'unknown_signer' })
    const late = { ...entry(1), revoked_at: now.toISOString() }
    expect(revocationList([late], signer, now).issued_at).to.equal(now.toISOString())
  })

  it('is refused with a change, by another key, or with a gap in its numbers', () => {
    const list = revocationList([entry(1), entry(2)], signer, now)
    const problemOf = (document: unknown): string => {
      const checked = checkRevocations(document, trusted)
      return checked.ok ? 'none' : checked.problem
    }
    expect(problemOf({ ...list, number: 1, revoked: list.revoked.slice(0, 1) })).to.include('signature')
    expect(problemOf({ ...list, revoked: [...list.revoked].reverse() })).to.include('signature')
    expect(problemOf({ ...list, extra: 1 })).to.include('svc-revocations-1')
    expect(problemOf(revocationList([entry(1)], fixedSigningKey(2), now))).to.include('not a trusted key')
    expect(problemOf(revocationList([entry(2)], signer, now))).to.include('do not count from 1')
    expect(problemOf('[]')).to.include('svc-revocations-1')
  })

  it('refuses the archive that it names, and warns of another one with the same content', async () => {
    const { archive, manifest } = await sealFixture({ facts: { jobId: 'cmp_one' }, signer })
    const other = await sealFixture({ facts: { jobId: 'cmp_two' }, signer })
    expect(other.manifest.cid).to.equal(manifest.cid)
    const own = { ...entry(1), cid: manifest.cid, artifact_hash: manifest.artifact_hash }
    const trustedKeys = [toJwk(signer.publicKey)]
    const verified = async (bytes: Uint8Array, revocations: unknown) => {
      const { ok, reason, checks } = await verifyArchive(bytes, { trustedKeys, revocations })
      return { ok, reason, check: checks.find(({ name }) => name === 'revocations') }
    }
    const list = revocationList([own], signer, now)
    expect(await verified(archive, list)).to.deep.include({ ok: false, reason: 'revoked' })
    const same = await verified(other.archive, list)
    expect([same.ok, same.check?.status]).to.deep.equal([true, 'warn'])
    const none = await verified(archive, revocationList([entry(1)], signer, now))
    expect([none.ok, none.check?.status]).to.deep.equal([true, 'pass'])
    const forged = await verified(archive, revocationList([], fixedSigningKey(2), now))
    expect(forged).to.deep.include({ ok: false, reason: 'revocations_invalid' })
    expect(findRevocation(list, { cid: own.cid, artifactHash: own.artifact_hash }).sameContent).to.equal(null)
  })
})
