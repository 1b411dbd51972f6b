import { expect } from 'chai'
import { containerOf } from '../../../core/gateway/protocol/audio/containers.ts'
import { findAudio } from '../../../core/gateway/protocol/audio/detect.ts'
import { decodeWav } from '../../../core/gateway/protocol/audio/features/decode-wav.ts'
import { logMel } from '../../../core/gateway/protocol/audio/features/log-mel.ts'
import { resample } from '../../../core/gateway/protocol/audio/features/resample.ts'
import { intentOf, jaccard } from '../../../core/gateway/protocol/audio/bake-off.ts'
import { meterAudio } from '../../../core/gateway/protocol/audio/meter.ts'
import { readTranscript } from '../../../core/gateway/protocol/audio/transcript.ts'
import { writeForm } from '../../../core/gateway/protocol/audio/write-form.ts'
import { wavOf } from '../../support/providers/audio.ts'

/** A second of a tone and of one that rises. */
const SOUND = Float32Array.from({ length: 16_000 }, (_, i) => {
  const rising = 0.2 * Math.sin((2 * Math.PI * 3000 * i * (1 + i / 16_000)) / 16_000)
  return 0.5 * Math.sin((2 * Math.PI * 440 * i) / 16_000) + rising
})

describe('features of sound', () => {
  // From numpy: `rfft` of reflected frames, librosa's definition of the Slaney filters.
  const expected = {
    80: { first: 0.994_077_086_4, middle: -0.561_796_188_4, last: 0.117_346_882_8, mean: -0.391_781_598_3 },
    128: { first: 0.918_317_854_4, middle: -0.514_645_814_9, last: 0.100_955_516_1, mean: -0.377_934_008_8 },
  } as const
  for (const bins of [80, 128] as const) {
    it(`are Whisper's for ${bins} bins`, () => {
      const { frames, values } = logMel(SOUND, bins)
      const at = (bin: number, frame: number): number => values[bin * frames + frame] ?? Number.NaN
      expect(frames).to.equal(100)
      expect(at(0, 0)).to.be.closeTo(expected[bins].first, 1e-6)
      expect(at(40, 17)).to.be.closeTo(expected[bins].middle, 1e-6)
      expect(at(bins - 1, 99)).to.be.closeTo(expected[bins].last, 1e-6)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(mean).to.be.closeTo(expected[bins].mean, 1e-6)
    })
  }

  it('are two frames for a sound shorter than a window', () => {
    expect(logMel(new Float32Array(8), 80).frames).to.equal(2)
  })

  for (const rate of [8000, 11_025, 44_100, 48_000]) {
    it(`come from ${rate} samples a second without distortion`, () => {
      const tone = (at: number) => Float32Array.from({ length: at }, (_, i) => Math.sin((2 * Math.PI * 440 * i) / at))
      const resampled = resample({ rate, values: tone(rate) }, 16_000)
      expect(resampled.length).to.equal(16_000)
      const ideal = tone(16_000)
      const middle = resampled.slice(1000, -1000)
      expect(Math.max(...middle.map((value, i) => Math.abs(value - (ideal[i + 1000] ?? 0))))).to.be.below(1e-4)
    })
  }

  it('leave out what the lower rate cannot hold', () => {
    const high = Float32Array.from({ length: 48_000 }, (_, i) => Math.sin((2 * Math.PI * 10_000 * i) / 48_000))
    const left = resample({ rate: 48_000, values: high }, 16_000).slice(1000, -1000)
    expect(Math.max(...left.map((value) => Math.abs(value)))).to.be.below(1e-4)
  })
})

describe('WAV files', () => {
  it('are decoded, several channels as their mean', () => {
    const decoded = decodeWav(wavOf([0, 16_384, -32_768], 8000), 10)
    expect('why' in decoded ? decoded.why : [...decoded.values]).to.deep.equal([0, 0.5, -1])
    const stereo = wavOf([16_384, 0, -16_384, -16_384], 8000)
    stereo.writeUInt16LE(2, 22)
    const mixed = decodeWav(stereo, 10)
    expect('why' in mixed ? mixed.why : [...mixed.values]).to.deep.equal([0.25, -0.5])
  })

  it('of other forms, and other containers, are refused with a reason', () => {
    const alaw = wavOf([1, 2, 3], 8000)
    alaw.writeUInt16LE(6, 20)
    for (const [bytes, why] of [
      [alaw, /format 6/],
      [Buffer.from('fLaC and more'), /is flac/],
      [Buffer.from('nothing that is known'), /no container/],
      [wavOf([], 8000).subarray(0, 30), /without the chunks/],
      [
        wavOf(
          Array.from({ length: 9000 }, () => 0),
          8000,
        ),
        /longer than 1 s/,
      ],
    ] as const) {
      expect(decodeWav(bytes, 1)).to.have.property('why').that.matches(why)
    }
  })
})

describe('lengths of sound', () => {
  const measure = (bytes: Buffer, mime = '', piece = 1000) => {
    const meter = meterAudio()
    for (let at = 0; at < bytes.length; at += piece) meter.take(bytes.subarray(at, at + piece))
    return meter.measured(mime)
  }
  const ogg = (id: Buffer, position: bigint): Buffer => {
    const page = (body: Buffer, granule: bigint): Buffer => {
      const head = Buffer.alloc(28)
      head.write('OggS', 0, 'latin1')
      head.writeBigInt64LE(granule, 6)
      head.writeUInt8(1, 26)
      head.writeUInt8(body.length, 27)
      return Buffer.concat([head, body])
    }
    return Buffer.concat([page(id, 0n), page(Buffer.alloc(200), position), page(Buffer.alloc(100), -1n)])
  }
  const opus = Buffer.alloc(19)
  opus.write('OpusHead', 0, 'latin1')
  opus.writeUInt16LE(312, 10)
  const vorbis = Buffer.alloc(30)
  vorbis.write('\u{1}vorbis', 0, 'latin1')
  vorbis.writeUInt32LE(44_100, 12)
  const flac = Buffer.alloc(42)
  flac.write('fLaC', 0, 'latin1')
  flac.writeUIntBE(44_100 << 4, 18, 3)
  flac.writeUInt32BE(88_200, 22)
  // MPEG 1, layer III, 128 kbit/s, 44.1 kHz, stereo.
  const mp3 = Buffer.alloc(32_000)
  mp3.writeUInt32BE(0xfffb9000, 0)
  const counted = Buffer.from(mp3)
  counted.write('Xing', 36, 'latin1')
  counted.writeUInt32BE(1, 40)
  counted.writeUInt32BE(100, 44)
  const tag = Buffer.alloc(300_010)
  tag.write('ID3', 0, 'latin1')
  for (const [at, seven] of [300_000 >> 21, (300_000 >> 14) & 127, (300_000 >> 7) & 127, 300_000 & 127].entries()) {
    tag.writeUInt8(seven, 6 + at)
  }

  for (const [name, bytes, ms, source, mime] of [
    [
      'WAV',
      wavOf(
        Array.from({ length: 4000 }, () => 0),
        8000,
      ),
      500,
      'header',
      'audio/wav',
    ],
    [
      'WAV without a size',
      wavOf(
        Array.from({ length: 4000 }, () => 0),
        8000,
        true,
      ),
      500,
      'header',
      'audio/wav',
    ],
    ['FLAC', flac, 2000, 'header', 'audio/flac'],
    ['Opus in OGG', ogg(opus, 48_312n), 1000, 'header', 'audio/ogg'],
    ['Vorbis in OGG', ogg(vorbis, 22_050n), 500, 'header', 'audio/ogg'],
    ['MP3 with a count of frames', counted, 2612, 'header', 'audio/mpeg'],
    ['MP3 by its bit rate', mp3, 2000, 'estimate', 'audio/mpeg'],
    ['MP3 behind a large tag', Buffer.concat([tag, mp3]), 2000, 'estimate', 'audio/mpeg'],
    ['bytes of any kind', Buffer.alloc(32_768), 1000, 'estimate', 'application/octet-stream'],
  ] as const) {
    it(`of ${name}: ${ms} ms by ${source === 'header' ? 'its header' : 'an estimate'}`, () => {
      for (const piece of [7, 4096, 1_000_000]) {
        const measured = measure(bytes, '', piece)
        expect(measured).to.include({ durationMs: ms, durationSource: source, mime, sizeBytes: bytes.length })
      }
    })
  }

  it('of samples without a container, as OpenAI speaks them', () => {
    expect(measure(Buffer.alloc(48_000), 'audio/pcm')).to.include({ durationMs: 1000, mime: 'audio/pcm' })
  })

  it('survive any bytes', () => {
    for (const begin of ['RIFF----WAVEfmt ', 'fLaC', 'OggS', 'ID3', '\xFF\xFB\x90\x00', 'RIFF----WAVEdata']) {
      for (let length = 0; length < 80; length++) {
        const bytes = Buffer.concat([Buffer.from(begin, 'latin1'), Buffer.alloc(80, 0xff)]).subarray(0, length)
        expect(measure(bytes).durationMs).to.be.at.least(0)
        expect(() => [containerOf(bytes), decodeWav(bytes, 1)]).not.to.throw()
      }
    }
  })
})

describe('sound in messages', () => {
  it('is found in every form, and counted beyond what is listed', () => {
    const data = Buffer.from('abc').toString('base64')
    const { blocks, total, transcript } = findAudio([
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: { data, format: 'mp3' } },
          { type: 'audio', source: { type: 'base64', media_type: 'audio/flac', data } },
          { type: 'audio', source: { type: 'url', media_type: 'audio/ogg', url: 'https://example.org/a.ogg' } },
          { inlineData: { mimeType: 'audio/wav', data } },
          { inlineData: { mimeType: 'image/png', data } },
          { type: 'text', text: `hear data:audio/webm;base64,${data} and this` },
          { type: 'input_audio', input_audio: { data: 'not base64!', format: 'wav' } },
          { type: 'transcript', text: 'one' },
        ],
        whisper_transcript: 'two',
      },
    ])
    expect(blocks.map(({ kind, mime }) => `${kind} ${mime}`)).to.deep.equal([
      'input_audio audio/mpeg',
      'audio audio/flac',
      'audio audio/ogg',
      'inline_data audio/wav',
      'data_url audio/webm',
      'input_audio audio/wav',
    ])
    expect(blocks[2]).to.include({ source: 'url', sha256: null })
    expect(blocks[5]).to.include({ sha256: null })
    expect([total, transcript]).to.deep.equal([6, 'two\none'])
    const many = Array.from({ length: 100 }, () => ({ type: 'input_audio', input_audio: { data, format: 'wav' } }))
    const found = findAudio([{ role: 'user', content: many }])
    expect([found.blocks.length, found.total]).to.deep.equal([64, 100])
  })
})

describe('transcripts', () => {
  it('are read in every form', () => {
    expect(readTranscript('application/json', '{"text":"hello"}')).to.deep.equal({ text: 'hello', usage: null })
    const srt = '1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:01,000 --> 00:00:02,000\nworld\n'
    expect(readTranscript('application/x-subrip', srt).text).to.equal('hello\nworld')
    expect(readTranscript('text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n').text).to.equal('hello')
    expect(() => readTranscript('application/json', '{"words":[]}')).to.throw('without a text')
  })

  it('are compared by common words, and never when one has none', () => {
    expect(jaccard('Where is it', 'it is where')).to.equal(1)
    expect(jaccard('a b', 'b c')).to.be.closeTo(1 / 3, 1e-9)
    expect(jaccard('', '')).to.equal(null)
    expect(jaccard('a', '!?')).to.equal(null)
  })

  it('are questions, commands, talk or dictation', () => {
    expect(['Where is it', 'turn off the light', 'hello there', 'The parcel is blue'].map(intentOf)).to.deep.equal([
      'question',
      'command',
      'conversation',
      'other',
    ])
    expect(intentOf(Array.from({ length: 30 }, () => 'word').join(' '))).to.equal('dictation')
  })
})

describe('a form for a provider', () => {
  it('holds fields, lists and the file, with its exact length', async () => {
    const bytes = Buffer.from('sound')
    const measured = {
      container: null,
      mime: 'audio/wav',
      sizeBytes: 5,
      durationMs: 1,
      durationSource: 'header',
    } as const
    const file = {
      ...measured,
      sha256: 'x',
      ending: 'wav',
      async *read() {
        yield bytes
      },
    }
    const form = writeForm({ model: 'whisper-1', 'include[]': ['a', 'b'], stream: true }, file)
    const pieces: Uint8Array[] = []
    for await (const piece of form.read()) pieces.push(piece)
    const body = Buffer.concat(pieces)
    expect(body.length).to.equal(form.sizeBytes)
    const read = await new Response(body, { headers: { 'content-type': form.mediaType } }).formData()
    expect([read.get('model'), read.getAll('include[]'), read.get('stream')]).to.deep.equal([
      'whisper-1',
      ['a', 'b'],
      'true',
    ])
    const sent = read.get('file')
    expect(sent instanceof File && [sent.name, sent.type, await sent.text()]).to.deep.equal([
      'audio.wav',
      'audio/wav',
      'sound',
    ])
  })
})
