/** The secret by which the test signs webhooks. */
export const hookSecret = 'whsec_cmVwbGljYXMtc2hhcmUtdGhpcy1zZWNyZXQ='
