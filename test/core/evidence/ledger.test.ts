import { expect } from 'chai'
import { verifyChain } from '../../../core/evidence/ledger/check-chain.ts'
import { appendEntry, GENESIS, type ChainColumns } from '../../../core/evidence/ledger/ledger.ts'
import { openMacKey } from '../../../core/evidence/keys/mac.ts'
import type { SecretState } from '../../../core/evidence/keys/secret-lookup.ts'
import type { JsonObject } from '../../../core/json.ts'

const OLD = openMacKey('old', 'first secret')
const NEW = openMacKey('new', 'second secret')

const findSecret = (keyId: string): SecretState => {
  const key = [OLD, NEW].find((known) => known.keyId === keyId)
  return key === undefined ? { state: 'unknown' } : { state: 'live', secret: key.secret }
}

type Entry = JsonObject & ChainColumns

function chain(length: number): Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i < length; i++) {
    const fields = {
      id: `aud_${i}`,
      tenant_id: 'ten_1',
      actor: 'key:key_1',
      request_id: `req_${i}`,
      op: 'compile.created',
      at: new Date(1_700_000_000_000 + i).toISOString(),
      payload: { job_id: `cmp_${i}`, examples_n: i },
    }
    // The key rotates half-way.
    entries.push(appendEntry(entries.at(-1) ?? GENESIS, fields, i < length / 2 ? OLD : NEW))
  }
  return entries
}

async function* stream(entries: readonly JsonObject[]): AsyncIterable<JsonObject> {
  for (const entry of entries) yield entry
}

describe('audit ledger', () => {
  it('holds together over a rotated key and from a checkpoint', async () => {
    const entries = chain(20)
    const whole = await verifyChain(stream(entries), { findSecret })
    expect(whole).to.deep.include({ ok: true, total: 20, broken_at: null })
    const after = entries[9] ?? GENESIS
    const rest = await verifyChain(entries.slice(10), { findSecret, after, head: whole.head })
    expect(rest).to.deep.include({ ok: true, total: 10 })
    expect(appendEntry(GENESIS, { id: 'a' }, OLD)).to.deep.equal(appendEntry(GENESIS, { id: 'a' }, OLD))
    expect(() => appendEntry(GENESIS, { seq: 9 }, OLD)).to.throw(TypeError)
  })

  it('notices a change of any column', async () => {
    const entries = chain(6)
    const victim = entries[3] ?? entries[0]
    for (const column of Object.keys(victim ?? {})) {
      const value = victim?.[column]
      const changed = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : { other: true }
      const tampered = entries.map((entry) => (entry === victim ? { ...entry, [column]: changed } : entry))
      const result = await verifyChain(stream(tampered), { findSecret })
      expect(result.ok, column).to.equal(false)
      expect(result.breaks[0]?.index, column).to.equal(3)
    }
    const extended = entries.map((entry) => (entry === victim ? { ...entry, extra: 1 } : entry))
    expect((await verifyChain(extended, { findSecret })).breaks[0]).to.deep.include({
      reason: 'event_hash_mismatch',
      seq: 4,
    })
  })

  it('notices entries that are gone, moved or put in, and a cut end against an anchored head', async () => {
    const entries = chain(6)
    const { head } = await verifyChain(entries, { findSecret })
    const reasons = async (list: readonly JsonObject[], anchored = false) =>
      (await verifyChain(list, anchored ? { findSecret, head } : { findSecret })).breaks.map(({ reason }) => reason)
    expect(await reasons(entries.filter((_, i) => i !== 2))).to.include('sequence_gap')
    const foreign = appendEntry(GENESIS, { id: 'aud_x' }, OLD)
    expect(await reasons(entries.slice(1))).to.include('sequence_gap')
    expect(await reasons([foreign, ...entries.slice(1)])).to.include('prev_hash_mismatch')
    expect(await reasons(entries.slice(0, 4))).to.deep.equal([])
    expect(await reasons(entries.slice(0, 4), true)).to.deep.equal(['head_mismatch'])
    const forged = appendEntry(entries[5] ?? GENESIS, { id: 'aud_y' }, openMacKey('mine', 'guess'))
    expect(await reasons([...entries, forged])).to.deep.equal(['unknown_key'])
    expect(await reasons([...entries, { id: 'aud_z' }])).to.deep.equal(['malformed'])
  })
})
