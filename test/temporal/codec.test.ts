import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { createPayloadCodec } from '../../temporal/codec.ts'

const SECRET_TEXT = 'cmp_01abc of ten_01xyz'

function payloadOf(value: unknown): Payload {
  return defaultPayloadConverter.toPayload(value)
}

describe('payload codec', () => {
  it('gives back what it was given', async () => {
    const codec = createPayloadCodec([randomBytes(32)])
    const payloads = [payloadOf({ jobId: SECRET_TEXT }), payloadOf(null), payloadOf(new Uint8Array([1, 2, 3]))]
    const decoded = await codec.decode(await codec.encode(payloads))
    expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).to.deep.equal(
      payloads.map((payload) => defaultPayloadConverter.fromPayload(payload)),
    )
  })

  it('leaves nothing readable but the id of the key', async () => {
    const key = randomBytes(32)
    const [first] = await createPayloadCodec([key]).encode([payloadOf({ jobId: SECRET_TEXT })])
    const [second] = await createPayloadCodec([key]).encode([payloadOf({ jobId: SECRET_TEXT })])
    const everything = Buffer.concat([
      ...Object.entries(first?.metadata ?? {}).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]),
      Buffer.from(first?.data ?? []),
    ])
    expect(Object.keys(first?.metadata ?? {})).to.have.members(['encoding', 'encryption-key-id'])
    for (const part of ['jobId', 'cmp_', 'ten_', 'json/plain']) expect(everything.includes(part)).to.equal(false)
    expect(everything.includes(key)).to.equal(false)
    expect(Buffer.from(first?.data ?? []).equals(Buffer.from(second?.data ?? []))).to.equal(false)
  })

  it('opens what older keys and no key wrote, and refuses unknown keys and changed bytes', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const written = await createPayloadCodec([older]).encode([payloadOf('old')])
    const rotated = createPayloadCodec([newer, older])
    const [opened] = await rotated.decode(written)
    expect(defaultPayloadConverter.fromPayload(opened ?? {})).to.equal('old')
    const [plain] = await rotated.decode([payloadOf('plain')])
    expect(defaultPayloadConverter.fromPayload(plain ?? {})).to.equal('plain')
    expect(await failureOf(createPayloadCodec([newer]).decode(written))).to.match(/no codec key has the id/)
    const changed = written.map((payload) => {
      const data = Buffer.from(payload.data ?? [])
      data.writeUInt8(data.readUInt8(20) ^ 1, 20)
      return { ...payload, data }
    })
    expect(await failureOf(rotated.decode(changed))).to.not.equal(undefined)
    expect(() => createPayloadCodec([randomBytes(16)])).to.throw(RangeError)
  })
})

async function failureOf(call: Promise<unknown>): Promise<string | undefined> {
  return await call.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}
