// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// What `npm run bench -- gas` compares with: the plain way to record objects, a storage slot for each, beside the same
/// event. One delegate writes for many users; a set must be recorded before its objects.
contract SlotPerObject {
    event AddSet(address indexed user, bytes32 indexed setCid);
    event AddSetObject(address indexed user, bytes32 indexed setCid, bytes32 indexed objectCid, uint256 timestamp);

    error InvalidBatch();
    error InvalidSet();
    error Unauthorized();

    mapping(address user => mapping(address delegate => bool)) public delegatedAuthority;
    mapping(address user => mapping(bytes32 setCid => bool)) public userSetCommitments;
    /// The block time at which an object was recorded; zero when it never was.
    mapping(address user => mapping(bytes32 setCid => mapping(bytes32 objectCid => uint256))) public objectCommitments;

    function grant(address delegate) external {
        delegatedAuthority[msg.sender][delegate] = true;
    }

    function addUsersSets(address[] calldata users, bytes32[] calldata setCids) external {
        if (users.length != setCids.length) revert InvalidBatch();
        for (uint256 i = 0; i < users.length; ++i) {
            if (!delegatedAuthority[users[i]][msg.sender]) revert Unauthorized();
            userSetCommitments[users[i]][setCids[i]] = true;
            emit AddSet(users[i], setCids[i]);
        }
    }

    function addUsersSetsObjectsBatch(
        address[] calldata users,
        bytes32[] calldata setCids,
        bytes32[] calldata objectCids
    ) external {
        if (users.length != setCids.length || setCids.length != objectCids.length) revert InvalidBatch();
        for (uint256 i = 0; i < users.length; ++i) {
            address user = users[i];
            bytes32 setCid = setCids[i];
            if (!delegatedAuthority[user][msg.sender]) revert Unauthorized();
            if (!userSetCommitments[user][setCid]) revert InvalidSet();
            objectCommitments[user][setCid][objectCids[i]] = block.timestamp;
            emit AddSetObject(user, setCid, objectCids[i], block.timestamp);
        }
    }
}
