import { expect } from 'chai'
import { readChangelog } from '../../../core/overview/reports/changelog.ts'
import { redactReport } from '../../../core/overview/reports/client-error.ts'

describe('the changelog', () => {
  it('is read by release and subject, in its order', () => {
    const groups = readChangelog(
      [
        '# Changelog',
        '',
        '## Unreleased',
        '',
        'Captures ([guide](docs/guides/captures.md)).',
        '',
        '- `GET /v1/captures/list` lists',
        '  them all.',
        '- `svc captures list`.',
        '',
        'A sentence alone.',
        '',
        '## 0.1.0 (2026-11-01)',
        '',
        '- First release.',
      ].join('\n'),
    )
    expect(groups).to.deep.equal([
      {
        wave: 'unreleased',
        date: null,
        title: 'Captures (guide)',
        changes: ['`GET /v1/captures/list` lists them all.', '`svc captures list`.'],
        tags: ['api', 'cli', 'gateway'],
      },
      { wave: 'unreleased', date: null, title: 'A sentence alone', changes: [], tags: [] },
      { wave: '0.1.0', date: '2026-11-01', title: '0.1.0 (2026-11-01)', changes: ['First release.'], tags: [] },
    ])
  })
})

describe('a report of a browser', () => {
  it('loses what is secret or personal, and is cut', () => {
    const report = redactReport({
      message: `Cannot read 'x' of ada@example.com ks_0123456789abcdef_${'s'.repeat(40)}`,
      source: 'https://svc.example/console/main.js?token=abc#/secret',
      line: 3,
      col: 1,
      stack: Array.from({ length: 9 }, (_, i) => `at f (https://svc.example/a.js?k=${i}:1:2)`).join('\n'),
      path: '/r/tok_0123456789abcdefgh/run?x=1',
      agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    })
    expect(report.message)
      .to.contain('Cannot read')
      .and.not.to.match(/ada@|0123456789|sssss/)
    expect(report.source).to.equal('https://svc.example/console/main.js')
    expect(report.stack?.split('\n')).to.have.length(3)
    expect(report.stack).not.to.contain('k=')
    expect(report.path).to.equal('/r/…/run')
    expect(report.agent).to.equal('Chrome 131')
    expect(redactReport({ ...report, message: 'x'.repeat(1000) }).message).to.have.length(240)
  })
})
