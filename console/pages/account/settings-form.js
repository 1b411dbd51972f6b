import { call, get } from '../../api.js'
import { element, say } from '../../parts/dom.js'
import { actionForm, choice, field } from '../../parts/form.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/settings.ts').AccountSettings>} Settings */

/**
 * The settings that change something that people see.
 *
 * @param {AbortSignal} signal
 * @param {() => void} reload
 */
export async function settingsForm(signal, reload) {
  /** @type {{ settings: Settings, defaults: Settings }} */
  const { settings, defaults } = await get('/v1/account/settings', signal)
  const zones = element(
    'datalist',
    { id: 'zones' },
    ...Intl.supportedValuesOf('timeZone').map((zone) => element('option', { value: zone })),
  )
  const zone = element('input', { name: 'timezone', list: 'zones', required: true, value: settings.timezone })
  const locale = element('input', { name: 'locale', maxlength: 35, required: true, value: settings.locale })
  const days = element('input', {
    name: 'key_rotation_warning_days',
    type: 'number',
    min: 1,
    max: 3650,
    required: true,
    value: settings.key_rotation_warning_days,
  })
  const namespace = element('input', { name: 'default_namespace', required: true, value: settings.default_namespace })
  const mails = element('input', {
    type: 'checkbox',
    name: 'notifications_email',
    checked: settings.notifications_email,
  })
  return actionForm({
    title: 'Settings',
    fields: [
      element(
        'div',
        { class: 'columns' },
        field('Time zone', zone, `Of the times in this console; ${defaults.timezone} leaves it to each browser.`),
        field('Language', locale, `Of its numbers and dates; ${defaults.locale} leaves it to each browser.`),
        field('Rotate keys every', days, 'Days, after which the account proposes it.'),
        field('Default namespace', namespace, 'Of captured events that name none.'),
      ),
      choice('Mails when the quota runs low', mails),
      zones,
    ],
    action: 'Save the settings',
    async perform() {
      /** @type {{ updated_fields: readonly string[] }} */
      const { updated_fields: changed } = await call('PUT', '/v1/account/settings', {
        timezone: zone.value.trim(),
        locale: locale.value.trim(),
        key_rotation_warning_days: Number(days.value),
        default_namespace: namespace.value.trim(),
        notifications_email: mails.checked,
      })
      say(changed.length === 0 ? 'Nothing was changed.' : 'The settings are saved.')
      reload()
    },
  })
}
