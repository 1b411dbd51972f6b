/** Namespaces and identifiers of SAML 2.0 and of XML signatures. */
export const SAML = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  success: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  bearer: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
  redirectBinding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  emailFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  transientFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
} as const

/** Accepted signature algorithms by the element that names them: SHA-256 or stronger, one canonical form. */
export const SIGNATURE_ALGORITHMS: Readonly<Record<string, ReadonlySet<string>>> = {
  SignatureMethod: new Set([
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ]),
  DigestMethod: new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']),
  CanonicalizationMethod: new Set(['http://www.w3.org/2001/10/xml-exc-c14n#']),
  Transform: new Set([
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    'http://www.w3.org/2001/10/xml-exc-c14n#',
  ]),
}
