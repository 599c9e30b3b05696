"""The methods that TSNet is compared with, one file each, all with the estimator's face.

    registry.py       every method by name: label, what it gives, what a search may vary
    face.py           what all share: checking tables, scaling, `fit`, `predict`, `predict_distribution`
    calibration.py    one factor on the standard deviation, from validation rows
    networks.py       what the neural ones share: our mean network, our training program, our schedule
    warm_up.py        what those share that learn mean and variance together
    weights.py        what the Bayesian networks share
    forest.py         what the two forests share
    one file a method

Every method is fitted on training rows; validation rows serve early stopping, selection and calibration only.
"""
