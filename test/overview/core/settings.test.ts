import { expect } from 'chai'
import {
  AccountSettings,
  changesBy,
  DEFAULT_SETTINGS,
  settingsOf,
  SettingsPatch,
} from '../../../core/accounts/settings.ts'

describe('settings', () => {
  it('are checked one by one', () => {
    const refused: readonly (readonly [name: string, value: unknown])[] = [
      ['default_namespace', 'Not A Slug'],
      ['default_namespace', '-a'],
      ['notifications_email', 'yes'],
      ['redaction_strictness', 'none'],
      ['key_rotation_warning_days', 'soon'],
      ['key_rotation_warning_days', 0],
      ['key_rotation_warning_days', 3651],
      ['key_rotation_warning_days', 1.5],
      ['locale', 'english please'],
      ['locale', null],
      ['timezone', { a: 1 }],
      ['timezone', 'Mars/Olympus'],
      ['timezone', '+01:00'],
    ]
    for (const [name, value] of refused) {
      expect(SettingsPatch.safeParse({ [name]: value }).success, `${name} ${JSON.stringify(value)}`).to.equal(false)
    }
    const taken = {
      default_namespace: 'support',
      timezone: 'Europe/Berlin',
      locale: 'de-at',
      key_rotation_warning_days: 1,
    }
    expect(SettingsPatch.parse({ ...taken, nonsense: 1 })).to.deep.equal({ ...taken, locale: 'de-AT' })
  })

  it('hold over the defaults, without what no rule allows any more', () => {
    expect(AccountSettings.parse(DEFAULT_SETTINGS)).to.deep.equal(DEFAULT_SETTINGS)
    expect(settingsOf({ timezone: 'Europe/Berlin', locale: 7, gone: true })).to.deep.equal({
      ...DEFAULT_SETTINGS,
      timezone: 'Europe/Berlin',
    })
  })

  it('change only where the value is another', () => {
    const changes = changesBy({ timezone: 'UTC', locale: 'de-DE' }, DEFAULT_SETTINGS)
    expect([...changes]).to.deep.equal([['locale', { from: 'en-US', to: 'de-DE' }]])
  })
})
