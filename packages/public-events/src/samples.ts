/** Values for the examples of the schemas. */
export const sampleStamp = {
  stamp_id: '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d',
  request_id: '0198f2c4-7b10-7a11-8c4e-51d2f0a9b8c7',
  user_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  set_cid: '0xa7150f1a84a4126ef75b36a3026071c4beea777b117dc337f025890c55f0468c',
  object_cid: '0x4b354cb9ac8aa42a6330889c32dbf0142f7a9029a57bd668b775ec3c2276aa42',
  collection_name: 'Forest',
  client_ref: 'row 1',
};

export const sampleReceipt = {
  transaction_hash: '0x9f2c8e4d1b7a6053c4e1f80b2d6a975318ecb04f7d2a61c95e3b8f0476d1a2c3',
  user_address: sampleStamp.user_address,
  set_cid: sampleStamp.set_cid,
  object_cid: sampleStamp.object_cid,
  timestamp: '2026-11-21T04:10:07+00:00',
  chain_id: 31337,
  block_number: 1204,
  block_hash: '0x3d1f7c20a9b8e6d54c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a2918070605f',
  log_index: 3,
  contract_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
};
