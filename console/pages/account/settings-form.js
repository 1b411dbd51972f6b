import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Choice, Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/settings.ts').AccountSettings>} Settings */
/** @typedef {{ settings: Settings, defaults: Settings }} Read */

/** The settings that change something that people see. */
export function SettingsForm() {
  const read = useRead(async (signal) => /** @type {Read} */ (await get('/v1/account/settings', signal)), [])
  return html`<${Reading} of=${read}>${(/** @type {Read} */ data) => html`<${SettingsFields} ...${data} />`}<//>`
}

/** @param {Read} props */
function SettingsFields({ settings, defaults }) {
  const { reload } = usePage()
  const save = async (/** @type {FormData} */ data) => {
    /** @type {{ updated_fields: readonly string[] }} */
    const { updated_fields: changed } = await call('PUT', '/v1/account/settings', {
      timezone: textIn(data, 'timezone'),
      locale: textIn(data, 'locale'),
      key_rotation_warning_days: Number(data.get('key_rotation_warning_days')),
      default_namespace: textIn(data, 'default_namespace'),
      notifications_email: data.has('notifications_email'),
    })
    say(changed.length === 0 ? 'No setting was changed.' : 'The settings are saved.')
    reload()
  }
  return html`<${Form} title="Settings" action="Save the settings" perform=${save}>
    <div class="columns">
      <${Field}
        label="Time zone"
        name="timezone"
        list="zones"
        required
        defaultValue=${settings.timezone}
        hint="Time zone for this console. Choose ${defaults.timezone} to use each browser’s own."
      />
      <${Field}
        label="Language"
        name="locale"
        maxlength="35"
        required
        defaultValue=${settings.locale}
        hint="Language of numbers and dates. Choose ${defaults.locale} to use each browser’s own."
      />
      <${Field}
        label="Rotate keys every"
        name="key_rotation_warning_days"
        type="number"
        min="1"
        max="3650"
        required
        defaultValue=${settings.key_rotation_warning_days}
        hint="In days. The account then suggests a new key."
      />
      <${Field}
        label="Default namespace"
        name="default_namespace"
        required
        defaultValue=${settings.default_namespace}
        hint="For captured events that name no namespace."
      />
    </div>
    <${Choice}
      label="Send a mail when the quota runs low"
      name="notifications_email"
      defaultChecked=${settings.notifications_email}
    />
    <datalist id="zones">
      ${Intl.supportedValuesOf('timeZone').map((zone) => html`<option key=${zone} value=${zone} />`)}
    </datalist>
  <//>`
}
