import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { checkMedia } from '../../../../core/gateway/protocol/media/check-media.ts'
import { imageUrl } from '../../../../core/gateway/protocol/dialects/fields.ts'
import { imageSize } from '../../../../core/gateway/protocol/media/image-size.ts'
import { inlineMedia } from '../../../../core/gateway/protocol/media/inline-media.ts'
import { mediaText } from '../../../../core/gateway/protocol/media/media-text.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { pngOf } from '../../../support/providers/images.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const riff = (kind: string, rest: string): Buffer =>
  Buffer.concat([Buffer.from(`RIFF....WEBP${kind}....`, 'latin1'), hex(rest)])

describe('images in calls of models', () => {
  it('state their size in the header, in four formats', () => {
    expect(imageSize(pngOf(70_000, 80_000))).to.deep.equal({ width: 70_000, height: 80_000 })
    expect(imageSize(Buffer.concat([Buffer.from('GIF89a'), hex('0002 0003')]))).to.deep.equal({
      width: 512,
      height: 768,
    })
    // An EXIF segment and a table of Huffman codes stand before the frame.
    const jpeg = hex('ffd8 ffe1 0006 45786966 ffff c4 0004 0000 ffc2 000b 08 0300 0200 01 011100')
    expect(imageSize(jpeg)).to.deep.equal({ width: 512, height: 768 })
    expect(imageSize(riff('VP8X', '00000000 ff0100 ff0200'))).to.deep.equal({ width: 512, height: 768 })
    expect(imageSize(riff('VP8L', '2f ffc1bf00'))).to.deep.equal({ width: 512, height: 768 })
    expect(imageSize(riff('VP8 ', '000000 9d012a 0002 0003'))).to.deep.equal({ width: 512, height: 768 })
  })

  it('have no size where the header is cut off, or is another one', () => {
    for (const bytes of [pngOf(1, 1).subarray(0, 18), hex('ffd8 ffc0 0011'), Buffer.from('GIF89a'), hex('ffd8 0000')]) {
      expect(imageSize(bytes)).to.equal(null)
    }
    expect(imageSize(Buffer.from('a text'))).to.equal(null)
  })

  const check = (part: JsonObject) => () => checkMedia({ messages: [{ content: [part] }] }, DEFAULT_LIMITS)

  it('are refused where they are no base64 or hold too many pixels, in every dialect', () => {
    const png = pngOf(50_000, 50_000).toString('base64')
    const parts = (mime: string, payload: string): readonly (readonly [string, JsonObject])[] => [
      ['image_url.url', { type: 'image_url', image_url: { url: `data:${mime};base64,${payload}` } }],
      ['image_url', { type: 'input_image', image_url: `data:${mime};base64,${payload}` }],
      ['source.data', { type: 'image', source: { type: 'base64', media_type: mime, data: payload } }],
      ['inlineData.data', { inlineData: { mimeType: mime, data: payload } }],
    ]
    for (const [field, part] of parts('image/png', '@@@@')) {
      expect(check(part), field).to.throw(`messages[0].content[0].${field}: must be base64`)
    }
    for (const [field, part] of parts('image/png', png)) {
      expect(check(part), field).to.throw(`${field}: is an image of 50000 × 50000 pixels`)
    }
    for (const [, part] of parts('image/png', pngOf(5000, 5000).toString('base64'))) expect(check(part)).not.to.throw()
    // Some clients escape the signs that base64 has besides letters and digits.
    const small = pngOf(5000, 5000).toString('base64')
    const escaped = `data:image/png;base64,${encodeURIComponent(small)}`
    expect(escaped).to.match(/%[23]/)
    expect(check({ type: 'image_url', image_url: { url: escaped } })).not.to.throw()
    expect(imageUrl(escaped, 'url')).to.deep.nested.include({ 'image.base64': small, 'image.mediaType': 'image/png' })
    const inUrls = `data:image/png;base64,${pngOf(5000, 5000).toString('base64url')}`
    expect(imageUrl(inUrls, 'url')).to.deep.nested.include({ 'image.base64': small })
    expect(check({ type: 'input_audio', input_audio: { format: 'wav', data: '@@' } })).to.throw('must be base64')
    expect(check({ type: 'file', file: { file_data: 'a b*' } })).to.throw('must be base64')
  })

  it('may be anything in arguments of tools', () => {
    expect(check({ type: 'tool_use', id: 'x', input: { url: 'data:image/png;base64,@@' } })).not.to.throw()
    expect(
      check({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a text' } }),
    ).not.to.throw()
  })
})

describe('files that are texts', () => {
  const textOf = (mime: string, bytes: Buffer): string | null => {
    const media = inlineMedia('data', { type: 'base64', media_type: mime, data: bytes.toString('base64') })
    return media && (mediaText(media)?.text ?? null)
  }

  it('are read by their media type or their bytes, and images and PDFs are not', () => {
    expect(textOf('text/plain', Buffer.from('é', 'latin1'))).to.equal('é')
    expect(textOf('text/plain', Buffer.from('\uFEFFé', 'utf16le'))).to.equal('\uFEFFé')
    expect(textOf('image/png', Buffer.from('plain'))).to.equal('plain')
    // The sniffed beginning may cut a character.
    expect(textOf('image/svg+xml', Buffer.from('é'.repeat(1000)))).to.equal('é'.repeat(1000))
    expect(textOf('image/png', Buffer.from(`x${'é'.repeat(1000)}`))).to.equal(`x${'é'.repeat(1000)}`)
    expect(textOf('image/png', pngOf(1, 1))).to.equal(null)
    expect(textOf('application/pdf', Buffer.from('%PDF-1.4 text'))).to.equal(null)
  })
})
