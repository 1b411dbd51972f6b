import type { SensitiveClass } from '../../../core/gateway/privacy/classes.ts'
import { card, date, DOMAINS, GIVEN, iban, person, phone, STREETS, SUFFIXES, two } from './drawn-values.ts'
import { BASE62, type Drawing } from './drawing.ts'

/** A value of a class, and sentences in which it stands at `{}`. */
interface Sampler {
  readonly draw: (from: Drawing) => string
  readonly in: readonly string[]
}

/** Terms of the tenant of the samples. */
export const TERMS = ['Project Aurora', 'Heliotrope', 'blue-harbor', 'Quantum Loom', 'ZX81 ledger'] as const
/** Subjects that the tenant of the samples has forgotten. */
export const FORGOTTEN = ['Wanda Kosinski-Fell', 'subject 77310', 'brightmoor cottage'] as const

/** Values of each class with their sentences. */
export const SAMPLERS: Readonly<Record<SensitiveClass, Sampler>> = {
  ssn: {
    draw: (from) =>
      `${two(from.int(1, 66))}${from.int(1, 5)}-${two(from.int(1, 99))}-${String(from.int(1, 9999)).padStart(4, '0')}`,
    in: [
      'My SSN is {}.',
      'Social security number: {}',
      '{} belongs to the applicant',
      'tax form for {}, filed today',
      '{"ssn":"{}"}',
    ],
  },
  malformed_ssn: {
    draw: (from) =>
      from.pick([
        `000-${two(from.int(1, 99))}-${from.int(1000, 9999)}`,
        `666-${two(from.int(1, 99))}-${from.int(1000, 9999)}`,
        `${from.int(900, 999)}-${two(from.int(1, 99))}-${from.int(1000, 9999)}`,
        `${from.int(100, 665)}-00-${from.int(1000, 9999)}`,
      ]),
    in: ['My SSN is {}.', 'the number {} was rejected', 'ssn={}'],
  },
  email: {
    draw: (from) =>
      `${from.pick(GIVEN).toLowerCase().replace('é', 'e')}${from.pick(['.', '_', '+', ''])}${from.chars('abcdefgh', from.int(2, 8))}${from.chance(0.3) ? from.digits(2) : ''}@${from.pick(DOMAINS)}`,
    in: [
      'Write to {} please.',
      '<{}>',
      'mailto:{}?subject=hi',
      'contact={}; priority=1',
      'Cc: {}, the team',
      '{"email": "{}"}',
    ],
  },
  phone: {
    draw: phone,
    in: [
      'Call me at {}.',
      'phone: {}',
      'You can reach us on {} until noon',
      'Tel. {}',
      'my number is {}, thanks',
      'fax {}',
    ],
  },
  address: {
    draw: (from) =>
      from.chance(0.2)
        ? `${from.pick(['Hauptstraße', 'Lindenweg', 'Goethestraße', 'Schillerplatz', 'Berliner Allee'])} ${from.int(1, 199)}`
        : `${from.int(1, 9999)} ${from.pick(STREETS)} ${from.pick(SUFFIXES)}`,
    in: [
      'I live at {}.',
      'Ship it to {}, please',
      'address: {}',
      'our office, {}, is closed',
      'deliver to {} tomorrow',
    ],
  },
  name: {
    draw: person,
    in: [
      'My name is {}.',
      'patient {} was seen today',
      'Dear {},',
      'signed by {} on Monday',
      'from: {}, to: billing',
      'I spoke with {} yesterday',
    ],
  },
  dob: {
    draw: date,
    in: [
      'DOB: {}',
      'date of birth: {}.',
      'she was born on {} in Leeds',
      'born {}',
      'Geburtsdatum: {}',
      'd.o.b. {}, male',
    ],
  },
  mrn: {
    draw: (from) =>
      from.pick([
        from.digits(from.int(6, 10)),
        `${from.chars('ABCDEFGH', 1)}${from.digits(7)}`,
        `${from.digits(3)}-${from.digits(5)}`,
      ]),
    in: ['MRN: {}', 'MRN {} was admitted', 'medical record number {}', 'patient id {}, ward 3', 'Medical Record #: {}'],
  },
  account_number: {
    draw: (from) => (from.chance(0.3) ? iban(from) : from.digits(from.int(7, 12))),
    in: ['account number: {}', 'Account #{}', 'acct {} was charged', 'my bank account is {}', 'a/c no. {}'],
  },
  payment_card: {
    draw: (from) => card(from, true),
    in: [
      'Charge my card {} please.',
      'visa {}',
      'pay with {} exp 12/27',
      '{"pan":"{}"}',
      'the number is {}.',
      '{} was declined',
    ],
  },
  malformed_payment_card: {
    draw: (from) => card(from, false),
    in: ['Charge my card {} please.', 'visa {}', 'credit card number {}', 'my mastercard is {}'],
  },
  api_key: {
    draw: (from) =>
      from.pick([
        `sk-proj-${from.chars(BASE62, 40)}`,
        `sk-ant-api03-${from.chars(`${BASE62}-_`, 80)}A`,
        `ghp_${from.chars(BASE62, 36)}`,
        `AKIA${from.chars('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
        `AIza${from.chars(BASE62, 35)}`,
        `glpat-${from.chars(BASE62, 20)}`,
        `xoxb-${from.digits(12)}-${from.digits(12)}-${from.chars(BASE62, 24)}`,
        `sk_live_${from.chars(BASE62, 24)}`,
      ]),
    in: ['use {} for now', 'key={}', 'export TOKEN="{}"', 'OPENAI: {}', "curl -H 'x-api-key: {}'"],
  },
  bearer_token: {
    draw: (from) =>
      from.chance(0.5)
        ? `eyJ${from.chars(BASE62, 20)}.eyJ${from.chars(BASE62, 60)}.${from.chars(BASE62, 43)}`
        : `Bearer ${from.chars(BASE62, 32)}7`,
    in: ['Authorization: {}', 'the header {} is wrong', '"{}"', 'token {} expired'],
  },
  private_key: {
    draw: (from) => {
      const kind = from.pick(['RSA ', 'EC ', '', 'OPENSSH ', 'ENCRYPTED '])
      return `-----BEGIN ${kind}PRIVATE KEY-----\n${from.chars(BASE62, 64)}\n${from.chars(BASE62, 64)}\n${from.chars(BASE62, 20)}==\n-----END ${kind}PRIVATE KEY-----`
    },
    in: ['{}', 'here it is:\n{}\nkeep it', 'key: "{}"'],
  },
  database_url: {
    draw: (from) =>
      `${from.pick(['postgres', 'postgresql', 'mysql', 'mongodb+srv', 'redis', 'amqp', 'postgresql+asyncpg'])}://${from.chars('abcdefg', 5)}:${from.chars(BASE62, 12)}@${from.chars('abcdefg', 6)}.example.net:${from.int(1000, 9999)}/${from.chars('abcdefg', 4)}`,
    in: ['DATABASE_URL={}', 'connect to {} first', '"{}"', 'dsn: {}'],
  },
  internal_hostname: {
    draw: (from) =>
      `${from.pick(['db', 'api', 'vault', 'jenkins', 'web-01', 'kafka-2'])}.${from.pick(['prod.internal', 'corp', 'svc.cluster.local', 'eu.lan', 'intranet', 'staging.internal'])}`,
    in: ['ping {} failed', 'http://{}/health', 'host {}:8080 is down', 'ssh admin@{}'.replace('admin@', ''), 'see {}.'],
  },
  customer_id: {
    draw: (from) =>
      `${from.pick(['CUST', 'CID', 'ACCT', 'CUSTOMER'])}${from.pick(['-', '_'])}${from.chance(0.5) ? from.digits(from.int(3, 8)) : `${from.chars('ABCDEFGH', 2)}${from.digits(4)}`}`,
    in: ['customer {} complained', '{} is overdue', 'id: {}', 'merge {} with the other'],
  },
  proprietary_term: {
    draw: (from) => (from.chance(0.5) ? from.pick(TERMS) : from.pick(TERMS).toUpperCase()),
    in: ['the plan for {} is late', '{}: budget', 'we call it {}.'],
  },
  ip_address: {
    draw: (from) =>
      from.pick([
        `10.${from.int(0, 255)}.${from.int(0, 255)}.${from.int(1, 254)}`,
        `192.168.${from.int(0, 255)}.${from.int(1, 254)}`,
        `${from.int(11, 223)}.${from.int(0, 255)}.${from.int(0, 255)}.${from.int(1, 254)}`,
        `2001:db8:${from.chars('123456789abc', 4)}::${from.chars('123456789abc', 4)}`,
        `fe80::${from.int(1, 9)}`,
        '127.0.0.1',
      ]),
    in: [
      'blocked {} today',
      'from {}:443',
      'client={}',
      'route {}/24 via eth0'.replace('/24', ''),
      'host {} is up.',
      '{} - - GET /',
    ],
  },
  forgotten: {
    draw: (from) => (from.chance(0.5) ? from.pick(FORGOTTEN) : from.pick(FORGOTTEN).toUpperCase()),
    in: ['a note on {} from May', '{}: closed', 'we saw {}.'],
  },
}
