import { expect } from 'chai'
import fc from 'fast-check'
import {
  adversarialTexts,
  drawSamples,
  SAMPLE_TERMS,
  scoreSamples,
} from '../../../../bench/gateway/redaction/measure-redaction.ts'
import { sentEvent, type SentEvent, type StreamEvent } from '../../../../core/gateway/protocol/exchange/stream.ts'
import { compileForgetList, subjectOf } from '../../../../core/gateway/gate/privacy/forget-list.ts'
import { createPlaceholders } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { redactBody, reserveWritten } from '../../../../core/gateway/gate/privacy/redact-body.ts'
import { restoreJson } from '../../../../core/gateway/gate/privacy/restore-json.ts'
import { restoreEvents, restoreSent } from '../../../../core/gateway/gate/privacy/restore-stream.ts'
import { scanText } from '../../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { openMacKey } from '../../../../core/kernel/json/mac.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'

const STRINGS = 100
const LEAST = 0.98

describe('sensitive text', () => {
  for (const { kind, recall, precision, missed, wrong } of scoreSamples(drawSamples(STRINGS, 99))) {
    it(`of the class ${kind} is found, and nothing else is taken for it`, () => {
      expect(recall, missed.slice(0, 3).join('\n')).to.be.at.least(LEAST)
      expect(precision, wrong.slice(0, 3).join('\n')).to.be.at.least(LEAST)
    })
  }

  it('is found behind the comma of a table', () => {
    const kinds = (line: string) => scanText(line).map(({ kind }) => kind)
    expect(kinds('x,078-05-1120,y')).to.deep.equal(['ssn'])
    expect(kinds('17,078-05-1120')).to.deep.equal(['ssn'])
    expect(kinds('17,4111111111111111')).to.deep.equal(['payment_card'])
    expect(kinds('1,234,567 and 12,555-1234')).to.deep.equal([])
  })

  it('takes time linear in the text, whatever it holds', () => {
    // The square of these lengths would be minutes each.
    for (const text of adversarialTexts(50_000)) scanText(text, SAMPLE_TERMS)
  })

  it('of a forgotten subject is found by the hash of its words', () => {
    const key = openMacKey('key', 'k'.repeat(32))
    const list = compileForgetList({ subjects: [subjectOf(key, 'Jean-Luc  PICARD')], patterns: ['glob:case-??'] }, key)
    const found = scanText('jean luc, Picard! and Jean Luc Ponty, case-12', list).filter(
      ({ kind }) => kind === 'forgotten',
    )
    expect(found.map(({ start, end }) => [start, end])).to.deep.equal([
      [0, 16],
      [38, 45],
    ])
    expect(JSON.stringify(subjectOf(key, 'Picard'))).not.to.match(/picard/i)
  })
})

const BODY: JsonObject = {
  model: 'ada@example.org',
  system: [{ type: 'text', text: 'You serve ada@example.org.' }],
  messages: [
    { role: 'user', content: 'I am ada@example.org, VAR_EMAIL_1, or bob@example.org', name: 'user-1' },
    {
      role: 'assistant',
      tool_calls: [
        { id: 'call_1', function: { name: 'mail', arguments: '{"to": "ada@example.org", "card": 4111111111111111}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'ada@example.org', content: [{ type: 'text', text: 'sent to ada@example.org' }] },
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', data: 'iVBORw0KGgphZGFAZXhhbXBsZS5vcmc=' } }],
    },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/ada@example.org' } }] },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'mail',
        description: 'Mails ada@example.org',
        parameters: {
          type: 'object',
          properties: { to: { enum: ['ada@example.org'], description: 'such as bob@example.org' } },
        },
      },
    },
  ],
}

describe('placeholders', () => {
  const redacted = () => {
    const placeholders = createPlaceholders()
    reserveWritten(BODY, placeholders)
    return { placeholders, ...redactBody(BODY, placeholders, { terms: null, keeps: () => false, isStored: false }) }
  }

  it('stand for every text of a body and of the schemas of its tools, and for no name, id, address or media', () => {
    const { body, classes } = redacted()
    expect(classes).to.deep.equal(['email', 'payment_card'])
    expect(body).to.deep.equal({
      ...BODY,
      system: [{ type: 'text', text: 'You serve VAR_EMAIL_2.' }],
      messages: [
        // The caller wrote the first one itself.
        { role: 'user', content: 'I am VAR_EMAIL_2, VAR_EMAIL_1, or VAR_EMAIL_3', name: 'user-1' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', function: { name: 'mail', arguments: '{"to":"VAR_EMAIL_2","card":"VAR_PAYMENT_CARD_1"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'ada@example.org', content: [{ type: 'text', text: 'sent to VAR_EMAIL_2' }] },
        ...(BODY['messages'] as JsonObject[]).slice(3),
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'mail',
            description: 'Mails VAR_EMAIL_2',
            parameters: {
              type: 'object',
              properties: { to: { enum: ['VAR_EMAIL_2'], description: 'such as VAR_EMAIL_3' } },
            },
          },
        },
      ],
    })
  })

  it('are restored in whole answers, escaped where a text is JSON itself', () => {
    const placeholders = createPlaceholders()
    const name = placeholders.of('name', 'Ada "the first" Lovelace')
    expect(
      restoreJson({ content: `for ${name}`, arguments: `{"to":"${name}"}`, other: `${name}2` }, placeholders),
    ).to.deep.equal({
      content: 'for Ada "the first" Lovelace',
      arguments: String.raw`{"to":"Ada \"the first\" Lovelace"}`,
      other: `${name}2`,
    })
  })

  const pieces = fc.array(
    fc.constantFrom('VAR_', 'VAR_EMAIL_', 'VAR_EMAIL_1', 'VAR_EMAIL_12', 'V', 'x', ' ', '"', '1', '_', 'é'),
    { maxLength: 30 },
  )
  const cuts = fc.array(fc.nat(40), { maxLength: 20 })
  const cut = (text: string, at: readonly number[]): readonly string[] => {
    const parts: string[] = []
    let rest = text
    for (const length of at) {
      parts.push(rest.slice(0, length))
      rest = rest.slice(length)
    }
    return [...parts, rest]
  }
  const twelve = () => {
    const placeholders = createPlaceholders()
    for (let i = 1; i <= 12; i++) placeholders.of('email', `user${i}"@example.org`)
    return placeholders
  }

  it('are restored in streams, wherever they are cut', () => {
    fc.assert(
      fc.property(pieces, cuts, (texts, at) => {
        const placeholders = twelve()
        const text = texts.join('')
        const restored = restoreEvents(placeholders)
        const events: StreamEvent[] = [
          ...cut(text, at).flatMap((part): StreamEvent[] => [
            { kind: 'text', text: part },
            { kind: 'arguments', key: 0, text: part },
            { kind: 'arguments', key: 1, text: part },
          ]),
          { kind: 'finish', finish: 'stop' },
        ]
        const out = events.flatMap((event) => restored(event))
        const joined = (kind: string, key?: number) =>
          out
            .flatMap((event) =>
              event.kind === kind && (key === undefined || ('key' in event && event.key === key)) && 'text' in event
                ? [event.text]
                : [],
            )
            .join('')
        expect(joined('text')).to.equal(placeholders.restore(text))
        expect(joined('arguments', 0)).to.equal(placeholders.restore(text, true))
        expect(joined('arguments', 1)).to.equal(placeholders.restore(text, true))
        expect(out.at(-1)).to.deep.equal({ kind: 'finish', finish: 'stop' })
      }),
    )
  })

  it('are restored inside the events of providers that speak the dialect, and nothing else changes', () => {
    fc.assert(
      fc.property(pieces, cuts, (texts, at) => {
        const placeholders = twelve()
        const text = texts.join('')
        const parts = cut(text, at)
        const chat = (delta: object, index: number) => ({
          data: JSON.stringify({ id: 'c', choices: [{ index, delta, logprobs: null }] }),
        })
        const chats = collect(restoreSent('chat-completions', placeholders), [
          ...parts.flatMap((part) => [
            chat({ content: part }, 0),
            chat({ content: part }, 1),
            chat({ tool_calls: [{ index: 0, function: { arguments: part } }] }, 0),
          ]),
          { data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) },
          { data: '[DONE]' },
        ])
        const contents = (index: number) =>
          chats.map(({ choices }) => choices?.[0]).filter((choice) => choice?.index === index)
        expect(
          contents(0)
            .map((choice) => choice?.delta.content ?? '')
            .join(''),
        ).to.equal(placeholders.restore(text))
        expect(
          contents(1)
            .map((choice) => choice?.delta.content ?? '')
            .join(''),
        ).to.equal(placeholders.restore(text))
        expect(
          contents(0)
            .map((choice) => choice?.delta.tool_calls?.[0]?.function.arguments ?? '')
            .join(''),
        ).to.equal(placeholders.restore(text, true))
        const block = (part: string) => ({
          event: 'content_block_delta',
          data: JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } }),
        })
        const blocks = collect(restoreSent('messages', placeholders), [
          ...parts.flatMap((part) => [block(part), { event: 'ping', data: '{"type":"ping"}' }]),
          { event: 'content_block_stop', data: '{"type":"content_block_stop","index":0}' },
        ])
        expect(blocks.map(({ delta }) => delta?.text ?? '').join('')).to.equal(placeholders.restore(text))
        expect(blocks.at(-1)?.type).to.equal('content_block_stop')
        const google = collect(
          restoreSent('generate-content', placeholders),
          parts.map((part, i) => ({
            data: JSON.stringify({
              candidates: [
                { content: { parts: [{ text: part }] }, ...(i === parts.length - 1 && { finishReason: 'STOP' }) },
              ],
            }),
          })),
        )
        expect(google.map(({ candidates }) => candidates?.[0]?.content.parts[0]?.text ?? '').join('')).to.equal(
          placeholders.restore(text),
        )
        const responses = collect(restoreSent('responses', placeholders), [
          ...parts.map((part) => ({
            data: JSON.stringify({ type: 'response.output_text.delta', item_id: 'm', delta: part }),
          })),
          { data: JSON.stringify({ type: 'response.output_text.done', item_id: 'm', text }) },
        ])
        expect(
          responses
            .slice(0, -1)
            .map(({ delta }) => delta ?? '')
            .join(''),
        ).to.equal(placeholders.restore(text))
        expect(responses.at(-1)?.text).to.equal(placeholders.restore(text))
      }),
    )
  })

  it('hold nothing back of a text that begins none', () => {
    const restored = restoreSent('chat-completions', twelve())
    const sent = { data: JSON.stringify({ choices: [{ index: 0, delta: { content: 'Very V.' } }] }) }
    expect(restored(sent).map(sentEvent)).to.deep.equal([sentEvent(sent)])
  })
})

// oxlint-disable-next-line typescript/no-explicit-any -- events of four dialects
function collect(restored: (sent: SentEvent) => readonly SentEvent[], events: readonly SentEvent[]): any[] {
  return events.flatMap((event) => restored(event)).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]))
}
