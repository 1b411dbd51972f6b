import { expect } from 'chai'
import { ChainCheck, type ChainVerification } from '../../../core/ledger/chain/check-chain.ts'
import { appendEntry, GENESIS, type ChainColumns, type ChainHead } from '../../../core/ledger/chain/ledger.ts'
import { openMacKey } from '../../../core/kernel/json/mac.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'

const OLD = openMacKey('old', 'first secret')
const NEW = openMacKey('new', 'second secret')

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

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Checks entries in their order. `after`: where the chain starts; `head`: its end, as it is known from elsewhere. */
function check(
  entries: readonly JsonObject[],
  { after = GENESIS, head }: { readonly after?: ChainHead; readonly head?: ChainHead } = {},
): ChainVerification {
  const chain = new ChainCheck({ after, secretOf: (keyId) => [OLD, NEW].find((key) => key.keyId === keyId)?.secret })
  for (const { event_hash: eventHash, ...columns } of entries) {
    const { seq, key_id: keyId, prev_hash: prevHash } = columns
    chain.take({
      seq: Number(seq),
      keyId: textOf(keyId),
      prevHash: textOf(prevHash),
      eventHash: textOf(eventHash),
      text: canonicalJson(columns),
    })
  }
  return chain.finish(head)
}

describe('audit ledger', () => {
  it('holds together over a rotated key and from a checkpoint', () => {
    const entries = chain(20)
    const whole = check(entries)
    expect(whole).to.deep.include({ ok: true, total: 20, broken_at: null })
    const after = entries[9] ?? GENESIS
    const rest = check(entries.slice(10), { after, head: whole.head })
    expect(rest).to.deep.include({ ok: true, total: 10 })
    expect(appendEntry(GENESIS, { id: 'a' }, OLD)).to.deep.equal(appendEntry(GENESIS, { id: 'a' }, OLD))
    expect(() => appendEntry(GENESIS, { seq: 9 }, OLD)).to.throw(TypeError)
  })

  it('notices a change of any column', () => {
    const entries = chain(6)
    const victim = entries[3] ?? entries[0]
    for (const column of Object.keys(victim ?? {})) {
      const value = victim?.[column]
      const changed = typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}x` : { other: true }
      const tampered = entries.map((entry) => (entry === victim ? { ...entry, [column]: changed } : entry))
      const result = check(tampered)
      expect(result.ok, column).to.equal(false)
      expect(result.breaks[0]?.index, column).to.equal(3)
    }
    const extended = entries.map((entry) => (entry === victim ? { ...entry, extra: 1 } : entry))
    expect(check(extended).breaks[0]).to.deep.include({
      reason: 'event_hash_mismatch',
      seq: 4,
    })
  })

  it('notices entries that are gone, moved or put in, and a cut end against an anchored head', () => {
    const entries = chain(6)
    const { head } = check(entries)
    const reasons = (list: readonly JsonObject[], anchored = false) =>
      check(list, anchored ? { head } : {}).breaks.map(({ reason }) => reason)
    expect(reasons(entries.filter((_, i) => i !== 2))).to.include('sequence_gap')
    const foreign = appendEntry(GENESIS, { id: 'aud_x' }, OLD)
    expect(reasons(entries.slice(1))).to.include('sequence_gap')
    expect(reasons([foreign, ...entries.slice(1)])).to.include('prev_hash_mismatch')
    expect(reasons(entries.slice(0, 4))).to.deep.equal([])
    expect(reasons(entries.slice(0, 4), true)).to.deep.equal(['head_mismatch'])
    const forged = appendEntry(entries[5] ?? GENESIS, { id: 'aud_y' }, openMacKey('mine', 'guess'))
    expect(reasons([...entries, forged])).to.deep.equal(['unknown_key'])
    expect(reasons([...entries, { id: 'aud_z' }])).to.deep.equal(['sequence_gap'])
  })
})
