// Generated from contracts/CommitmentService.sol by scripts/compile.ts. Do not edit.

/** What to give to a block explorer to verify the contract. */
export const compiler = {
  "version": "0.8.37+commit.f401782d.Emscripten.clang",
  "settings": {
    "viaIR": true,
    "optimizer": {
      "enabled": true,
      "runs": 1000000
    },
    "evmVersion": "shanghai",
    "metadata": {
      "bytecodeHash": "none"
    }
  }
} as const;

/** The first four bytes of a call. */
export const functionSelectors = {
  "addLane": "0xd88ef93d",
  "addObject": "0x6eb3e17a",
  "addSet": "0x4a7160a2",
  "addSetObject": "0xaa111395",
  "addSetObjectsBatch": "0xd28795d2",
  "addSetsObjectsBatch": "0xe30a7f24",
  "addUserObject": "0x0bc7eca5",
  "addUserSet": "0xffc3a83a",
  "addUserSetObject": "0x08ea1884",
  "addUserSetObjectsBatch": "0xb3dbf40b",
  "addUserSetsObjectsBatch": "0x6b952f71",
  "addUsersSetsObjectsBatch": "0x65d57ef2",
  "checkAuthority": "0xa700c202",
  "commitBatch": "0xcb0e4a4b",
  "delegatedAuthority": "0x35f935b6",
  "eip712Domain": "0x84b0196e",
  "grant": "0x70284d19",
  "grantBySignature": "0x7c23d0fa",
  "laneOperator": "0x713f5ab7",
  "nonces": "0x7ecebe00",
  "removeLane": "0x19aa4baa",
  "revoke": "0x74a8f103",
  "revokeBySignature": "0x69532572",
  "setHead": "0x7b6eff8a",
  "userSetCommitments": "0x25d9315f"
} as const;

/** topic0 of each event. */
export const eventTopics = {
  "AddObject": "0x7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f0",
  "AddSet": "0x63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d806",
  "AddSetObject": "0x38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4",
  "Grant": "0xe1807bac79e3e9ddd49b7172ea0e99809e4d1fc4fef4dd980e691da4384fbd0f",
  "GrantBySignature": "0xa0f3c431d64725cc9a3649b304e75c551b074d9ed5715401e66373cc93d31072",
  "LaneAdded": "0x0e910bb7ac738bb8cfc704cb688b4d856b5b46bb45f3a932b055762c46f3e8c1",
  "LaneRemoved": "0x1d20ec9f813c18568bb86ba4745cd844f0705a0a2db948372d037ab34a2aff68",
  "Revoke": "0xd7426110292f20fe59e73ccf52124e0f5440a756507c91c7b0a6c50e1eb1a23a",
  "RevokeBySignature": "0x0b2a42e835a700e460e8ae1fb49c166e067ce334227d370839aff500f656bbf7"
} as const;

/** The first four bytes of revert data. */
export const errorSelectors = {
  "InvalidBatch": "0x33b094a1",
  "InvalidNonce": "0x756688fe",
  "InvalidSet": "0xe2b1171b",
  "InvalidSignature": "0x8baa579f",
  "Unauthorized": "0x82b42900"
} as const;

/** The ABI as the compiler gives it. */
export const commitmentServiceAbi = [
  {
    "inputs": [],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [],
    "name": "InvalidBatch",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidNonce",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidSet",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidSignature",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "Unauthorized",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "timestamp",
        "type": "uint256"
      }
    ],
    "name": "AddObject",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "AddSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "timestamp",
        "type": "uint256"
      }
    ],
    "name": "AddSetObject",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "Grant",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      }
    ],
    "name": "GrantBySignature",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "LaneAdded",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "operator",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "LaneRemoved",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "Revoke",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "nonce",
        "type": "uint256"
      }
    ],
    "name": "RevokeBySignature",
    "type": "event"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "addLane",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "addSet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addSetObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addSetObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserSet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "objectCid",
        "type": "bytes32"
      }
    ],
    "name": "addUserSetObject",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUserSetObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUserSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "users",
        "type": "address[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "setCids",
        "type": "bytes32[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "addUsersSetsObjectsBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      }
    ],
    "name": "checkAuthority",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "user",
            "type": "address"
          },
          {
            "internalType": "uint64",
            "name": "count",
            "type": "uint64"
          },
          {
            "internalType": "bool",
            "name": "newSet",
            "type": "bool"
          },
          {
            "internalType": "bytes32",
            "name": "setCid",
            "type": "bytes32"
          }
        ],
        "internalType": "struct CommitmentService.Run[]",
        "name": "runs",
        "type": "tuple[]"
      },
      {
        "internalType": "bytes32[]",
        "name": "objectCids",
        "type": "bytes32[]"
      }
    ],
    "name": "commitBatch",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "delegatedAuthority",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "eip712Domain",
    "outputs": [
      {
        "internalType": "bytes1",
        "name": "fields",
        "type": "bytes1"
      },
      {
        "internalType": "string",
        "name": "name",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "version",
        "type": "string"
      },
      {
        "internalType": "uint256",
        "name": "chainId",
        "type": "uint256"
      },
      {
        "internalType": "address",
        "name": "verifyingContract",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256[]",
        "name": "extensions",
        "type": "uint256[]"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "grant",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "delegate",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          }
        ],
        "internalType": "struct CommitmentService.DelegateData",
        "name": "delegateData",
        "type": "tuple"
      },
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "grantBySignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "laneOperator",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      }
    ],
    "name": "nonces",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "lane",
        "type": "address"
      }
    ],
    "name": "removeLane",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "delegate",
        "type": "address"
      }
    ],
    "name": "revoke",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "components": [
          {
            "internalType": "address",
            "name": "delegate",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "nonce",
            "type": "uint256"
          }
        ],
        "internalType": "struct CommitmentService.DelegateData",
        "name": "delegateData",
        "type": "tuple"
      },
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "revokeBySignature",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "setHead",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "user",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "setCid",
        "type": "bytes32"
      }
    ],
    "name": "userSetCommitments",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  }
] as const;

/** Creation code; the constructor takes no arguments. */
export const commitmentServiceBytecode = "0x60c0604052346100f5574660805260405161001b6040826100f9565b6011815270436f6d6d69746d656e745365727669636560781b602090910152604080517f2f84f6a4b56bd2d73bb570459a05421f40d6095fe6c942df5bbd9513d71d5ead9161006a90826100f9565b600181526020810190603160f81b82525190206040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a081526100ce60c0826100f9565b51902060a052604051611d10908161013182396080518161193e015260a051816119640152f35b5f80fd5b601f909101601f19168101906001600160401b0382119082101761011c57604052565b634e487b7160e01b5f52604160045260245ffdfe60806040526004361015610011575f80fd5b5f3560e01c806308ea1884146113305780630bc7eca5146112a757806319aa4baa146111bd57806325d9315f1461117757806335f935b6146110e55780634a7160a2146110aa57806365d57ef214610f975780636953257214610e9c5780636b952f7114610e0d5780636eb3e17a14610dac57806370284d1914610ce4578063713f5ab714610c6b57806374a8f10314610ba65780637b6eff8a14610b595780637c23d0fa14610a455780637ecebe00146109e257806384b0196e14610892578063a700c2021461083e578063aa11139514610800578063b3dbf40b14610790578063cb0e4a4b146102bf578063d28795d214610263578063d88ef93d14610202578063e30a7f24146101865763ffc3a83a1461012c575f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610180610166611382565b6101776101716116f5565b82611728565b602435906117fd565b005b5f80fd5b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182576101d59036906004016113a5565b6024359167ffffffffffffffff8311610182576101f96101809336906004016113a5565b92909133611b52565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610239611382565b6024359067ffffffffffffffff82116101825761025d6101809236906004016113d6565b916115a6565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760243567ffffffffffffffff8111610182576102b56101809136906004016113a5565b9060043533611bf3565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff8111610182573660238201121561018257806004013567ffffffffffffffff81116101825760071b81016024013681116101825760243567ffffffffffffffff81116101825761034e9036906004016113a5565b916103576116f5565b91825f525f60205260405f2090604051917f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298352606083015260246080830191428352809660051b019601917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff925b8481106103fe578787036103d657005b7f33b094a1000000000000000000000000000000000000000000000000000000005f5260045ffd5b606081013581356020830135898b0360051c81116103d65760051b8901868203610743575b82156106f157826020860152606085209283548015610688575b5f5291907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff2081015b808c106104c757505b808b1061048757505050906080915f5190555b016103c6565b909199806020913580835260405f205f528c857f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4858ca40199919061046e565b9a806101009194929394358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460208101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460408101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460608101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460808101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460a08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460c08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da460e08101358060205260405f205f5283867f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa460208da4019a92919092610465565b506040850135156106c957825f528060205260405f2081847f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a361043d565b7fe2b1171b000000000000000000000000000000000000000000000000000000005f5260045ffd5b915060408301356106c957905b80891061070f575050608090610481565b909780602091358a7f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f08489a30197906106fe565b9550604080850182815220541561075c575b8095610423565b33811488821417610755575b7f82b42900000000000000000000000000000000000000000000000000000000005f5260045ffd5b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576107c7611382565b6044359067ffffffffffffffff8211610182576107eb6101809236906004016113a5565b916107f76101716116f5565b60243590611bf3565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825761018060243560043533611739565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257602061088861087a611382565b6108826116f5565b90611b9a565b6040519015158152f35b34610182575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576109866040516108d1604082611538565b601181527f436f6d6d69746d656e74536572766963650000000000000000000000000000006020820152604051610909604082611538565b600181527f310000000000000000000000000000000000000000000000000000000000000060208201526020610994604051926109468385611538565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e087019061147d565b90858203604087015261147d565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b8281106109cb57505050500390f35b8351855286955093810193928101926001016109bc565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610a2e611382565b165f526002602052602060405f2054604051908152f35b3461018257610b4c610aff7fa0f3c431d64725cc9a3649b304e75c551b074d9ed5715401e66373cc93d31072602073ffffffffffffffffffffffffffffffffffffffff80610a9236611404565b8684939a94999299013598610aa78a8c611868565b610ab084611517565b604051878a8201927f6e16873d45f3e70259578c9da98e0656d0608f67610c93896979a7a6d0b217af84521660408201528b606082015260608152610af6608082611538565b5190208b6118d2565b82610b0982611517565b165f525f855260405f208389165f52855260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055611517565b60405195865216941692a3005b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576020610b9e610b95611382565b6024359061179b565b604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610bf2611382565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055337fd7426110292f20fe59e73ccf52124e0f5440a756507c91c7b0a6c50e1eb1a23a5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610cb7611382565b165f526001602052602073ffffffffffffffffffffffffffffffffffffffff60405f205416604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff610d30611382565b16805f525f60205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00825416179055337fe1807bac79e3e9ddd49b7172ea0e99809e4d1fc4fef4dd980e691da4384fbd0f5f80a3005b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257604051428152600435907f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f060203392a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610e44611382565b60243567ffffffffffffffff811161018257610e649036906004016113a5565b916044359267ffffffffffffffff841161018257610e896101809436906004016113a5565b939092610e976101716116f5565b611b52565b3461018257610b4c610f4d7f0b2a42e835a700e460e8ae1fb49c166e067ce334227d370839aff500f656bbf7602073ffffffffffffffffffffffffffffffffffffffff80610ee936611404565b8684939a94999299013598610efe8a8c611868565b610f0784611517565b604051878a8201927f048ae155c04f8f414299a84e0ab4b0bbb6a6cec6d782602429fba9d64308154a84521660408201528b606082015260608152610af6608082611538565b82610f5782611517565b165f525f855260405f208389165f52855260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff008154169055611517565b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760043567ffffffffffffffff811161018257610fe69036906004016113a5565b60243567ffffffffffffffff8111610182576110069036906004016113a5565b919060443567ffffffffffffffff8111610182576110289036906004016113a5565b938084148015906110a0575b6103d6576110406116f5565b935f5b81811061104c57005b8061106b87611066611061600195878e6114da565b611517565b611728565b61109a61107c61106183868d6114da565b61108783878a6114da565b35611093848c8a6114da565b3591611739565b01611043565b5084841415611034565b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261018257610180600435336117fd565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825761111c611382565b60243573ffffffffffffffffffffffffffffffffffffffff8116809103610182575f525f60205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825760206111b3610b95611382565b1515604051908152f35b346101825760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825773ffffffffffffffffffffffffffffffffffffffff611209611382565b16805f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541680158015611292575b61076857815f52600160205260405f207fffffffffffffffffffffffff000000000000000000000000000000000000000081541690557f1d20ec9f813c18568bb86ba4745cd844f0705a0a2db948372d037ab34a2aff685f80a3005b50803314158015611236575081331415611236565b346101825760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610182576112de611382565b6112e96101716116f5565b6040514281527f7103c0fab1d2795199d448c2dd3217322f35d816243c3804867062c08250f3f0602073ffffffffffffffffffffffffffffffffffffffff602435941692a3005b346101825760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101825761018061136a611382565b6113756101716116f5565b6044359060243590611739565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020808501948460051b01011161018257565b9181601f840112156101825782359167ffffffffffffffff8311610182576020838186019501011161018257565b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc810160808112610182576040136101825760049160443573ffffffffffffffffffffffffffffffffffffffff8116810361018257916064359067ffffffffffffffff821161018257611479916004016113d6565b9091565b91908251928382525f5b8481106114c55750507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f845f6020809697860101520116010190565b80602080928401015182828601015201611487565b91908110156114ea5760051b0190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b3573ffffffffffffffffffffffffffffffffffffffff811681036101825790565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111761157957604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b9073ffffffffffffffffffffffffffffffffffffffff821692835f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2054163381146116ee576107685761164e91845f52600260205260405f20549360405160208101907f36951f8de1eeb41a51137eda87654a25e7566f9b2f419643a072705d8df55803825233604082015286606082015260608152611645608082611538565b519020906118d2565b600181018091116116c157815f52600260205260405f2055805f52600160205260405f20337fffffffffffffffffffffffff0000000000000000000000000000000000000000825416179055337f0e910bb7ac738bb8cfc704cb688b4d856b5b46bb45f3a932b055762c46f3e8c15f80a3565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b5050505050565b335f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f20541680155f1461172557503390565b90565b9061173291611b9a565b1561076857565b6117438282611c8f565b5f528260205261175760405f208383611ca2565b7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa4602073ffffffffffffffffffffffffffffffffffffffff604051934285521692a4565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d62985526040840152166060820152606081526117f6608082611538565b5190205490565b81156106c95761180d828261179b565b6118645761183e73ffffffffffffffffffffffffffffffffffffffff821691825f52836020528360405f2091611ca2565b7f63fe44955cb468eca854578f614830dfddfb533a8adaf26af8c6624fd702d8065f80a3565b5050565b73ffffffffffffffffffffffffffffffffffffffff16805f52600260205260405f205482036118aa57600182018092116116c1575f52600260205260405f2055565b7f756688fe000000000000000000000000000000000000000000000000000000005f5260045ffd5b92919060418303611a175782602011610182578135918360401161018257602081013593604010156114ea576040013560f81c7f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a084118015611b3b575b611a17576020935f93608093467f000000000000000000000000000000000000000000000000000000000000000003611a6b577f0000000000000000000000000000000000000000000000000000000000000000905b60405190888201927f1901000000000000000000000000000000000000000000000000000000000000845260228301526042820152604281526119c9606282611538565b51902092604051938452868401526040830152606082015282805260015afa15611a605773ffffffffffffffffffffffffffffffffffffffff5f51168015918215611a3f575b5050611a1757565b7f8baa579f000000000000000000000000000000000000000000000000000000005f5260045ffd5b73ffffffffffffffffffffffffffffffffffffffff16141590505f80611a0f565b6040513d5f823e3d90fd5b604051611a79604082611538565b60118152878101907f436f6d6d69746d656e74536572766963650000000000000000000000000000008252519020604051611ab5604082611538565b60018152888101907f3100000000000000000000000000000000000000000000000000000000000000825251902060405190898201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f84526040830152606082015246878201523060a082015260a08152611b3260c082611538565b51902090611985565b50601b811415801561192f5750601c81141561192f565b92919390938181036103d6575f5b818110611b6f57505050505050565b80611b94611b80600193858a6114da565b35611b8c8387896114da565b359088611739565b01611b60565b9073ffffffffffffffffffffffffffffffffffffffff8091169116818114918215611be9575b8215611bcb57505090565b9091505f525f60205260405f20905f5260205260ff60405f20541690565b3382149250611bc0565b939293611c008282611c8f565b925f9073ffffffffffffffffffffffffffffffffffffffff8316965b808310611c3357505050611c31939450611ca2565b565b909194611c418683856114da565b35905f52602052600160405f2095611c5a8184866114da565b35868a7f38caddea36d4bb0fc2e9597e46fd18beb7d9b9508b4a997e438bdb877a17efa46020604051428152a4019190611c1c565b90611c999161179b565b9081156106c957565b73ffffffffffffffffffffffffffffffffffffffff6040519160208301937f40123c9761973e4154a6e3cc524faeb075fc8d7f3787115592f08a8d3b84d6298552604084015216606082015260608152611cfd608082611538565b5190205556fea164736f6c6343000825000a" as const;
