import { expect } from 'chai'
import fc from 'fast-check'
import { redact } from '../../../../core/gateway/control/redaction/redact.ts'

describe('redaction', () => {
  const found = [
    ['mail me at jane.doe+x@mail.example.com, please', 'email', 'jane.doe'],
    ['call +49 30 1234 5678 today', 'phone', '1234'],
    ['call +4915112345678 today', 'phone', '4915'],
    ['call (030) 123 456 789', 'phone', '456'],
    ['card 4111 1111 1111 1111 expires', 'payment_card', '4111'],
    ['card 5500-0055-5555-5559', 'payment_card', '5500'],
    ['iban DE89 3704 0044 0532 0130 00 now', 'account_number', '3704'],
    ['GB82WEST12345698765432', 'account_number', 'WEST'],
    ['key sk-proj-0123456789abcdefABCDEF', 'api_key', '0123456789'],
    ['key ks_0123456789ab_0123456789abcdefghjkmnpqrs', 'api_key', 'abcdefgh'],
    ['AKIAIOSFODNN7EXAMPLE', 'api_key', 'IOSFODNN'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'bearer_token', 'eyJ'],
    ['card 4111 1111 1111 1111 123 with its code', 'payment_card', '1111'],
    ['card 4111 1111 1111 1111 12/27', 'payment_card', '1111'],
    ['order 2026 4111 1111 1111 1111', 'payment_card', '1111'],
    ['card 4111.1111.1111.1111, thanks', 'payment_card', '1111'],
    ['BE68 5390 0754 7034 EUR 500', 'account_number', '5390'],
    ['iban de89 3704 0044 0532 0130 00 now', 'account_number', '3704'],
    ['Authorization: Bearer 0123456789abcdef0123', 'bearer_token', '0123456789'],
    ['postgres://svc:hunter2@db.internal/svc', 'database_url', 'hunter2'],
    ['password: hunter2', 'api_key', 'hunter2'],
    ['?api_key=abcdef&x=1', 'api_key', 'abcdef'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'private_key', 'MIIEow'],
    ['github_pat_11ABCDEFG0abcdefghijkl', 'api_key', '11ABCDEFG0'],
    ['AIzaSyA-0123456789abcdefghijklmnopqrstu', 'api_key', 'SyA'],
    ['jürgen@exämple.example', 'email', 'rgen'],
  ] as const
  for (const [text, kind, secret] of found) {
    it(`takes ${kind} out of "${text}"`, () => {
      const { value, classes } = redact({ list: [{ text }], [text]: 1 })
      expect(classes).to.deep.equal([kind])
      expect(JSON.stringify(value)).to.contain(`[${kind}]`).and.not.contain(secret)
    })
  }

  const clean = [
    'Ticket 42 was closed',
    'ordered 4111 1111 1111 1112 pieces',
    '2026-11-22 10:15:30',
    '2026-11-22T10:15:30.123Z',
    'version 10.20.30.40',
    'DE88 3704 0044 0532 0130 00',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'someone@home',
    'Reset your password and try again',
    'basic characteristics of the bearer',
    'built 1732270000000, took 1732270000000000',
    'https://example.com:8080/path',
  ]
  for (const text of clean) {
    it(`leaves "${text}" as it is`, () => {
      expect(redact(text)).to.deep.equal({ value: text, classes: [] })
    })
  }

  it('looks at numbers as well as at texts', () => {
    const { value, classes } = redact({ card: 4111111111111111, at: 1732270000000, n: 42, x: 4111111111111112 })
    expect(value).to.deep.equal({ card: '[payment_card]', at: 1732270000000, n: 42, x: 4111111111111112 })
    expect(classes).to.deep.equal(['payment_card'])
  })

  it('takes everything below a name that tells of a secret', () => {
    const { value, classes } = redact({
      password: 'x',
      apiKey: 'abc',
      'X-API-Key': 'abc',
      headers: { Authorization: 'anything', 'Set-Cookie': ['a=b', 'c=d'], accept: 'text/html' },
      credentials: { user: 'me', pin: 1234, isNew: true },
      tokens: 12,
      max_token: 7,
      token: 'hello',
      secretary: 'Jane',
    })
    const mark = '[api_key]'
    expect(value).to.deep.equal({
      password: mark,
      apiKey: mark,
      'X-API-Key': mark,
      headers: { Authorization: mark, 'Set-Cookie': [mark, mark], accept: 'text/html' },
      credentials: { user: mark, pin: mark, isNew: true },
      tokens: 12,
      max_token: 7,
      token: 'hello',
      secretary: 'Jane',
    })
    expect(classes).to.deep.equal(['api_key'])
    expect(redact(value)).to.deep.equal({ value, classes: [] })
  })

  it('finds nothing more in what it has redacted, and keeps the shape', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...found.map(([sample]) => sample)))
    fc.assert(
      fc.property(fc.array(fc.record({ one: text, other: fc.array(text) })), (value) => {
        const first = redact(value)
        expect(redact(first.value)).to.deep.equal({ value: first.value, classes: [] })
        expect(first.value).to.have.length(value.length)
      }),
    )
  })

  it('takes time linear in the text', () => {
    for (const text of [
      'a@'.repeat(200_000),
      '1 '.repeat(200_000),
      'eyJ'.repeat(100_000),
      'A1'.repeat(200_000),
      '(1'.repeat(200_000),
      '4111 '.repeat(100_000),
      'de89 '.repeat(100_000),
      'bearer 1'.repeat(100_000),
      'x://a:b'.repeat(60_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(15_000),
      'password='.repeat(50_000),
    ]) {
      // The square of its length would be hours.
      redact(text)
    }
  })
})
